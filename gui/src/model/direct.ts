// What the platform can do by itself while the grains of its management do not answer. docs/MANAGEMENT.md.

/** Rows that the grains alone have: who is here, keys, members, and who did what. Asked for directly there is nothing of them. */
const GRAINS_ALONE = /^api\/v1\/(?:(?:account|keys|sessions?|tenants|users)(?:\/|\?|$)|applications\/[^/]+\/(?:armings|moves)(?:\?|$))/;

/** What asks for it. */
export const DIRECT = { "Sand-Direct": "true" } as const;

/** @param path below the platform's address, with or without a query */
export function canBeDirect(path: string): boolean {
  return path.startsWith("api/v1/") && !GRAINS_ALONE.test(path);
}

/** Whether a grain of the management is why there is no answer. */
export function isOfManagement(problem: { readonly type: string } | null): boolean {
  return problem?.type.endsWith("/management-failed") === true;
}
