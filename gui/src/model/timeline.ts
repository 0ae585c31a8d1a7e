// Where an execution's time went: attempts as rows on one scale.

export interface Attempt {
  readonly eventId: string;
  readonly grain: string;
  readonly attempt: number;
  readonly error: string | null;
  readonly atMs?: number;
  readonly queueMs: number;
  readonly dispatchMs: number;
  readonly runMs: number;
  readonly busMs: number;
}

export const PARTS = ["queue", "dispatch", "run", "bus"] as const;
export type Part = (typeof PARTS)[number];

export interface Row {
  readonly key: string;
  readonly label: string;
  readonly error: string | null;
  readonly startMs: number;
  readonly totalMs: number;
  readonly parts: readonly { readonly part: Part; readonly ms: number; readonly fromShare: number; readonly share: number }[];
}

export interface Rows {
  readonly rows: readonly Row[];
  readonly spanMs: number;
  /** How many attempts are not shown. */
  readonly left: number;
}

/** @param most rows: the first ones are shown */
export function rowsOf(attempts: readonly Attempt[], most: number): Rows {
  const shown = [...attempts].sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0)).slice(0, most);
  const spanMs = Math.max(0.001, ...shown.map((attempt) => (attempt.atMs ?? 0) + totalOf(attempt)));
  const rows = shown.map((attempt): Row => {
    let at = attempt.atMs ?? 0;
    const parts = PARTS.map((part) => {
      const ms = msOf(attempt, part);
      const placed = { part, ms, fromShare: at / spanMs, share: ms / spanMs };
      at += ms;
      return placed;
    });
    const again = attempt.attempt > 1 ? ` (attempt ${attempt.attempt})` : "";
    return {
      key: `${attempt.eventId}@${attempt.attempt}`,
      label: attempt.grain + again,
      error: attempt.error,
      startMs: attempt.atMs ?? 0,
      totalMs: totalOf(attempt),
      parts,
    };
  });
  return { rows, spanMs, left: attempts.length - shown.length };
}

function msOf(attempt: Attempt, part: Part): number {
  switch (part) {
    case "queue":
      return attempt.queueMs;
    case "dispatch":
      return attempt.dispatchMs;
    case "run":
      return attempt.runMs;
    case "bus":
      return attempt.busMs;
  }
}

function totalOf(attempt: Attempt): number {
  return PARTS.reduce((sum, part) => sum + msOf(attempt, part), 0);
}
