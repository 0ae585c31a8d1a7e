// Names of applications where there are several tenants: to everybody in a tenant its applications have their own names, and only who
// sees to all tenants is told whose each is. Addresses and commands have whole names, which mean the same whoever uses them.
import type { Here } from "./who";

const BETWEEN = "--";

/** What the platform calls an application of one's own tenant that is there: in others than `default` with the tenant before it. */
export function nameHere(there: readonly string[], name: string): string | undefined {
  return there.find((one) => one === name || one.endsWith(`${BETWEEN}${name}`));
}

/** A name as it is shown. @param here who looks; undefined and null: that is not known, or everybody may do everything */
export function shownName(name: string, here: Pick<Here, "tenant" | "scopes"> | null | undefined): string {
  const own = here && !here.scopes.includes("operator") ? `${here.tenant}${BETWEEN}` : "";
  return own !== "" && name.startsWith(own) ? name.slice(own.length) : name;
}
