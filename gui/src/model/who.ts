// Who somebody is, as far as what he may see depends on it.

export interface Here {
  readonly kind: string;
  /** Of a session or a key. */
  readonly id?: string;
  readonly user: string | null;
  readonly tenant: string;
  readonly scopes: readonly string[];
}

/** To whom belongs what is typed: a key is somebody of its own. Nobody has a name where there are no accounts. */
export function ownerOf(here: Omit<Here, "scopes"> | null): { readonly user: string; readonly tenant: string } {
  if (here === null || here.kind === "local") return { user: "", tenant: "" };
  return { user: here.user !== null && here.kind === "session" ? here.user : `${here.kind} ${here.id ?? ""}`, tenant: here.tenant };
}

/** What the platform lets somebody do, as its OpenAPI document has it. */
export type Scope = "invoke" | "deploy" | "read" | "admin" | "operator";

/** Whether he may, as far as is known: not before it is. Without accounts whoever is let in operates the platform. */
export function may(scope: Scope, here: Pick<Here, "scopes"> | null | undefined): boolean {
  return here === null || here?.scopes.includes(scope) === true;
}

/** @return null: he may; without accounts everybody does, and of whom nothing is known yet that is not said */
export function whyNot(scope: Scope | null, here: Pick<Here, "scopes"> | null | undefined): string | null {
  return here && scope !== null && !here.scopes.includes(scope) ? `This needs the scope ${scope}; you have ${here.scopes.join(", ") || "none"}.` : null;
}

interface Said {
  readonly type: string;
  readonly title: string;
  readonly detail: string;
}

export const SESSION_OVER = { title: "Your session has ended", detail: "Sign in again; what was typed here stays, and can be sent then." } as const;

const SESSION_OTHER = { title: "You have signed in anew meanwhile", detail: "This page knows of it by now, and has what was typed: send it once more." } as const;

/** The cookie is another session's than what the page sent beside it: somebody signed in by another tab. */
export function isOfOtherSession(problem: Pick<Said, "type">): boolean {
  return problem.type.endsWith("/csrf");
}

/** What is said of a refusal to somebody who has a session: that it is over, where the platform asks him for a key. */
export function toSessions<P extends Said>(problem: P): P {
  return problem.type.endsWith("/unauthenticated") ? { ...problem, ...SESSION_OVER } : problem;
}

/** What is said of one to a page that knows of the other session by now. */
export function toOtherSession<P extends Said>(problem: P): P {
  return { ...problem, ...SESSION_OTHER };
}

/** Whether it is he who was here before, whatever he may do by now. @param before undefined: nobody was known; null: nobody has a name here */
export function isSame(before: Here | null | undefined, now: Here | null | undefined): boolean {
  if (before === undefined || now === undefined) return false;
  if (before === null || now === null) return before === now;
  const [one, other] = [ownerOf(before), ownerOf(now)];
  return before.kind === now.kind && one.user === other.user && one.tenant === other.tenant;
}

/** An owner may have given him another role. */
export function maySame(before: Pick<Here, "scopes"> | null, now: Pick<Here, "scopes"> | null): boolean {
  return [...(before?.scopes ?? [])].sort().join() === [...(now?.scopes ?? [])].sort().join();
}
