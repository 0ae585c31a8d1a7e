// Limits as they are typed: nothing is no limit, and bytes may have a unit.

const MOST_BYTES = 2 ** 50;
export const MOST = { applications: 10_000, requestsPerSecond: 1_000_000, instances: 100_000, memoryBytes: MOST_BYTES, storedBytes: MOST_BYTES } as const;
export type Quota = keyof typeof MOST;
export const QUOTAS: readonly (readonly [Quota, string])[] = [
  ["applications", "Applications"],
  ["requestsPerSecond", "Requests a second, each frontend"],
  ["instances", "Instances at once, each host"],
  ["memoryBytes", "Memory, each host"],
  ["storedBytes", "Stored data"],
];
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export const isBytes = (quota: Quota): boolean => MOST[quota] === MOST_BYTES;

/** @return null: no limit; undefined: it is none that there is */
export function limitOf(quota: Quota, text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const [, digits, unit = "B"] = /^(\d{1,16})\s*([KMGT]iB|B)?$/.exec(text.trim()) ?? [];
  if (digits === undefined || (!isBytes(quota) && unit !== "B")) return undefined;
  const limit = Number(digits) * 1024 ** UNITS.findIndex((each) => each === unit);
  return limit <= MOST[quota] ? limit : undefined;
}

export type Limits = Readonly<Record<Quota, number | null>>;

/** @param typed over what is set, as far as somebody did @return those that he wants otherwise: another operator's stay; and the first that is no limit */
export function wantedOf(limits: Limits, typed: Readonly<Partial<Record<Quota, string>>>): { readonly changes: Partial<Limits>; readonly wrong: Quota | null } {
  const wanted = QUOTAS.flatMap(([quota]) => (typed[quota] === undefined ? [] : [[quota, limitOf(quota, typed[quota])] as const]));
  const changes = Object.fromEntries(wanted.filter(([quota, limit]) => limit !== undefined && limit !== limits[quota]));
  return { changes, wrong: wanted.find(([, limit]) => limit === undefined)?.[0] ?? null };
}

/** As it would be typed. */
export function typedAs(quota: Quota, limit: number | null): string {
  if (limit === null) return "";
  let unit = 0;
  let count = limit;
  while (isBytes(quota) && count > 0 && count % 1024 === 0 && unit < UNITS.length - 1) {
    count /= 1024;
    unit++;
  }
  return isBytes(quota) ? `${count} ${UNITS[unit]}` : String(count);
}
