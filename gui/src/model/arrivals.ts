// How many messages come to a queue, from what was seen of it one time after the other.

/** What one answer of the platform said. */
export interface Seen {
  readonly atMs: number;
  /** Messages that had ever come. */
  readonly sent: number;
}

/** Rates are of the last minute, or of as much of it as was seen. */
const WINDOW_MS = 60_000;
/** Before that a rate would jump with every message. */
const LEAST_MS = 5_000;

/** @param before the oldest first. @return with this one, and without what is too old to count */
export function seen(before: readonly Seen[], now: Seen): readonly Seen[] {
  const last = before.at(-1);
  if (last && now.atMs <= last.atMs) return before;
  // A queue that was deleted and made again begins anew.
  if (last && now.sent < last.sent) return [now];
  const counts = before.filter((one) => now.atMs - one.atMs <= WINDOW_MS);
  return [...counts, now];
}

/** Messages a second; null: it was not looked at for long enough yet. */
export function rateOf(all: readonly Seen[]): number | null {
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last || last.atMs - first.atMs < LEAST_MS) return null;
  return ((last.sent - first.sent) * 1000) / (last.atMs - first.atMs);
}
