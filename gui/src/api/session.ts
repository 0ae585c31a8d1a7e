// Who is signed in, and how one does that. The session is in a cookie of the browser; what goes beside it is in this page's memory.
import { type QueryClient, type QueryFilters, queryOptions, useQuery } from "@tanstack/react-query";
import { type Schemas, Refusal, address, answered, client } from "./client";
import { shownName } from "../model/tenant";
import { type Scope, isSame, may, maySame, ownerOf, whyNot } from "../model/who";
import { kept } from "./kept";
import { hasSession, isKeyAsked, onOtherSession, shownKey, signedIn } from "./key";
import { hearTabs, tellTabs } from "./tabs";

export type Who = Schemas["Who"];

export const sessionPaths = {
  session: () => address("api/v1/session"),
  users: () => address("api/v1/users"),
};

/** Null: there are no accounts here, since there is no management. */
export const who = () =>
  queryOptions({
    queryKey: ["who"],
    queryFn: async ({ client: cache, signal }): Promise<Who | null> => {
      const now = await ask(signal);
      if (now) hasSession(now.csrf ?? "");
      kept.belongTo(ownerOf(now));
      const before = cache.getQueryData<Who | null>(["who"]);
      if (before !== undefined) renew(cache, before, now);
      return now;
    },
    staleTime: Number.POSITIVE_INFINITY,
    // Whoever looks at this page again may have signed in as another one elsewhere.
    refetchOnWindowFocus: "always",
    retry: false,
  });

const allButWho: QueryFilters = { predicate: ({ queryKey }) => queryKey[0] !== "who" };

/** What another one saw is not for him who is here now. Who may do more or less than before sees anew what he may, round what he types. */
function renew(cache: QueryClient, before: Who | null, now: Who | null): void {
  if (!isSame(before, now)) {
    void cache.resetQueries(allButWho);
  } else if (!maySame(before, now)) {
    cache.removeQueries({ ...allButWho, type: "inactive" });
    void cache.invalidateQueries(allButWho);
  }
}

async function ask(signal: AbortSignal): Promise<Who | null> {
  try {
    return await answered(client.GET("/api/v1/session", { signal }));
  } catch (error) {
    if (error instanceof Refusal && error.status === 409) return null;
    throw error;
  }
}

/** Whether who is here may do what needs that scope. Whose session has ended is the one who was here, until another one comes. */
export function useMay(scope: Scope): boolean {
  return may(scope, useQuery(who()).data);
}

/** Why who is here may not do what needs that scope; null: he may, as far as is known. */
export function useWhyNot(scope: Scope | null): string | null {
  return whyNot(scope, useQuery(who()).data);
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
  const [before, now] = await askAnew(cache);
  // Who is asked once more has not come in: his key was none.
  if (isKeyAsked()) return;
  // Of another one than before all is reset by now.
  if (isSame(before, now)) await cache.invalidateQueries();
  else if (before === undefined || now === undefined) await cache.resetQueries();
}

/** Asks who is here, each time that somebody may have come in or gone by another tab: then what this one shows the platform is not good any more. */
export function watchSession(cache: QueryClient): void {
  async function look(): Promise<boolean> {
    const shown = shownKey();
    const [before, now] = await askAnew(cache);
    const token = shownKey()["Sand-Csrf"];
    // Who is asked for his name finds the page as it was, if he is the same.
    if (isSame(before, now) && token !== shown["Sand-Csrf"]) void cache.invalidateQueries(allButWho);
    return now !== undefined && token !== undefined;
  }
  // One after the other, for each ends the question of the one before; and all that are told of before one begins wait for the same.
  let last: Promise<boolean> = Promise.resolve(false);
  let coming: Promise<boolean> | null = null;
  function inTurn(): Promise<boolean> {
    coming ??= last = last.then(() => {
      coming = null;
      return Promise.race([look(), later(LOOK_MS)]);
    });
    return coming;
  }
  onOtherSession(inTurn);
  hearTabs(() => void inTurn());
}

/** Whoever is refused waits for it. */
const LOOK_MS = 10_000;

function later(ms: number): Promise<false> {
  return new Promise((done) => setTimeout(() => done(false), ms));
}

/** @return who was here, and who is; undefined: nobody is known */
async function askAnew(cache: QueryClient): Promise<readonly [Who | null | undefined, Who | null | undefined]> {
  const { queryKey } = who();
  const before = cache.getQueryData(queryKey);
  // An answer that is on its way may be of the session before.
  await cache.cancelQueries({ queryKey });
  return [before, await cache.fetchQuery({ ...who(), staleTime: 0 }).catch(() => undefined)];
}

export async function signIn(name: string, password: string): Promise<void> {
  const made = await answered(client.POST("/api/v1/sessions", { body: { name, password } }));
  signedIn(made.csrf);
  tellTabs();
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
  tellTabs();
}

/** Where keys alone open it, nobody has a name. */
export const isUnknownThere = (error: unknown): boolean => error instanceof Refusal && (error.status === 409 || error.status === 404);
