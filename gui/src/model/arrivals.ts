// How many messages come to a queue and go from it, from what was seen of it one time after the other.

/** What one answer of the platform said. */
export interface Seen {
  readonly atMs: number;
  /** Messages that had ever come. */
  readonly sent: number;
  /** Of these, those that were worked off. */
  readonly done: number;
}

export interface Rates {
  /** Messages a second. */
  readonly inPerSecond: number;
  readonly outPerSecond: number;
}

/** Rates are of so long, or of as much of it as was seen. */
export const WINDOW_MS = 10_000;
/** Answers come a little late. */
const LATE_MS = 500;
/** Before that a rate would jump with every message. */
const LEAST_MS = 3_000;

/** @param before the oldest first. @return with this one, and without what is too old to count */
export function seen(before: readonly Seen[], now: Seen): readonly Seen[] {
  const last = before.at(-1);
  if (last && now.atMs <= last.atMs) return before;
  // A queue that was deleted and made again begins anew.
  if (last && (now.sent < last.sent || now.done < last.done)) return [now];
  const counts = before.filter((one) => now.atMs - one.atMs <= WINDOW_MS + LATE_MS);
  return [...counts, now];
}

/** null: it was not looked at for long enough yet. */
export function ratesOf(all: readonly Seen[]): Rates | null {
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last || last.atMs - first.atMs < LEAST_MS) return null;
  const seconds = (last.atMs - first.atMs) / 1000;
  return { inPerSecond: (last.sent - first.sent) / seconds, outPerSecond: (last.done - first.done) / seconds };
}
