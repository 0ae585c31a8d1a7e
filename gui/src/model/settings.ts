// Parts of the settings, and whose they are.
import type { Route } from "./route";
import { type Here, type Scope, whyNot } from "./who";

export type Part = Extract<Route, { page: "settings" }>["part"];

interface About {
  readonly part: Part;
  readonly label: string;
  /** What reading it takes; null: it is everybody's. */
  readonly scope: Scope | null;
}

const PARTS: readonly About[] = [
  { part: "keys", label: "API keys", scope: "admin" },
  { part: "audit", label: "Audit log", scope: "admin" },
  { part: "members", label: "Members", scope: "admin" },
  { part: "quotas", label: "Quotas", scope: "read" },
  { part: "account", label: "Account", scope: null },
];

type Known = Pick<Here, "scopes"> | null | undefined;

/** Those that he may read, in their order. */
export const partsOf = (here: Known): readonly About[] => PARTS.filter(({ scope }) => whyNot(scope, here) === null);

/** Where the settings open: keys for who may make some, for all others what is their own. */
export const firstPart = (here: Known): Part => (whyNot("admin", here) === null ? "keys" : "account");

/** Why he may not read it, and whom he may ask; null: he may. */
export function whyNotPart(part: Part, here: Known): string | null {
  const { scope = null } = PARTS.find((one) => one.part === part) ?? {};
  const why = whyNot(scope, here);
  return why === null ? null : scope === "admin" ? `This is for owners of the tenant. ${why}` : why;
}
