// Who is signed in, and how one does that. The session is in a cookie of the browser; what goes beside it is in this page's memory.
import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { type Schemas, Refusal, address, answered, client } from "./client";
import { shownName } from "../model/tenant";
import { isSame, ownerOf } from "../model/who";
import { kept } from "./kept";
import { hasSession } from "./key";

export type Who = Schemas["Who"];

export const sessionPaths = {
  session: () => address("api/v1/session"),
  users: () => address("api/v1/users"),
};

/** Null: there are no accounts here, since there is no management. */
export const who = () =>
  queryOptions({
    queryKey: ["who"],
    queryFn: async (): Promise<Who | null> => {
      try {
        const found = await answered(client.GET("/api/v1/session"));
        hasSession(found.csrf ?? "");
        kept.belongTo(ownerOf(found));
        return found;
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 409) throw error;
        kept.belongTo(ownerOf(null));
        return null;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** Whether who is here may do what needs that scope; false until it is known. Without accounts whoever is let in operates the platform. */
export function useMay(scope: string): boolean {
  const here = useQuery(who());
  return here.isSuccess && (here.data === null || here.data.scopes.includes(scope));
}

/** How names of applications are shown to who is here. */
export function useShownName(): (name: string) => string {
  const here = useQuery(who()).data;
  return (name) => shownName(name, here);
}

/**
 * Somebody has come in, over whatever is on the page. It stays as it is, with what was typed, when that is who was here before; what
 * another one saw is not for him.
 */
export async function cameIn(cache: QueryClient): Promise<void> {
  const before = cache.getQueryData(who().queryKey);
  const now = await cache.fetchQuery({ ...who(), staleTime: 0 }).catch(() => undefined);
  await (isSame(before, now) ? cache.invalidateQueries() : cache.resetQueries());
}

export async function signIn(name: string, password: string): Promise<void> {
  const made = await answered(client.POST("/api/v1/sessions", { body: { name, password } }));
  hasSession(made.csrf);
}

/** An account, and he is signed in. @param invitation "" of the first one */
export async function signUp(name: string, password: string, invitation: string): Promise<void> {
  await answered(client.POST("/api/v1/users", { body: { name, password, ...(invitation && { invitation }) } }));
  await signIn(name, password);
}

export async function signOut(): Promise<void> {
  await answered(client.DELETE("/api/v1/session"));
  hasSession("");
  kept.forget();
}

/** Where keys alone open it, nobody has a name. */
export const isUnknownThere = (error: unknown): boolean => error instanceof Refusal && (error.status === 409 || error.status === 404);
