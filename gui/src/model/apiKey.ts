// An API key that is to be made: what the platform would refuse is said before it is asked.

export const SCOPES = ["invoke", "deploy", "read", "admin"] as const;

/** What each is for, as the OpenAPI document has it (`x-sand`). None contains another. */
export const MAY: Readonly<Record<(typeof SCOPES)[number], string>> = {
  invoke: "call grains and workflows, also in processes; cancel and redrive executions; send messages, and dead letters again",
  deploy: "deploy versions and move aliases; set secrets, triggers, data and saved events; kill and migrate processes",
  read: "see applications with their files, executions, logs, queues, data and quotas",
  admin: "make and revoke keys; change members and invitations; read the audit log; delete applications",
};

/** In order of what is chosen most. "" is until it is revoked. */
export const LIFETIMES: readonly (readonly [string, string])[] = [
  ["90d", "90 days"],
  ["30d", "30 days"],
  ["1d", "a day"],
  ["365d", "a year"],
  ["", "until it is revoked"],
];

const MOST_NAME = 100;

/** What is wrong with it, or null. */
export function keyFault(name: string, scopes: readonly string[]): string | null {
  if (name.trim() === "") return "A key has a few words on what it is for.";
  if (name.length > MOST_NAME) return `They have at most ${MOST_NAME} characters.`;
  if (scopes.length === 0) return "A key that may nothing is of no use.";
  return null;
}

/** When it is good no more, in words. */
export function isOver(expiresMs: number | null, nowMs: number): boolean {
  return expiresMs !== null && expiresMs <= nowMs;
}
