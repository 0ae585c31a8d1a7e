// Limits as they are typed: nothing is no limit.

export const MOST = { applications: 10_000, requestsPerSecond: 1_000_000 } as const;
export type Quota = keyof typeof MOST;
export const QUOTAS: readonly (readonly [Quota, string])[] = [
  ["applications", "Applications"],
  ["requestsPerSecond", "Requests a second, each frontend"],
];

/** @return null: no limit; undefined: it is none that there is */
export function limitOf(quota: Quota, text: string): number | null | undefined {
  if (text.trim() === "") return null;
  if (!/^\d{1,7}$/.test(text.trim())) return undefined;
  const limit = Number(text);
  return limit <= MOST[quota] ? limit : undefined;
}
