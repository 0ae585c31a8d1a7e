// Where an execution's time went: attempts, and what it waited for between them, as rows on one scale.
import { placeText, stepsOf } from "./steps";
import { WAITS, type Wait, type Waits } from "./waits";

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
  /** Of a workflow: its state, with the items and branches around that. */
  readonly place: string;
  /** The grain; of a wait, what is waited for. */
  readonly label: string;
  readonly error: string | null;
  readonly startMs: number;
  readonly totalMs: number;
  readonly parts: readonly { readonly part: Part | "wait"; readonly ms: number; readonly fromShare: number; readonly share: number }[];
}

export interface Rows {
  readonly rows: readonly Row[];
  readonly spanMs: number;
  /** How many rows are not shown. */
  readonly left: number;
}

/** Of a workflow. */
export interface CourseOfRows extends Waits {
  /** Whether the state of that name has branches. */
  isBranch(state: string): boolean;
}

const NO_COURSE: CourseOfRows = { waits: [], scheduledMs: () => 0, isBranch: () => false };

type Bare = Omit<Row, "parts"> & { readonly parts: readonly { readonly part: Part | "wait"; readonly ms: number }[] };

/** @param most rows: the first ones are shown */
export function rowsOf(attempts: readonly Attempt[], most: number, course = NO_COURSE): Rows {
  // Attempts are told from the first one on, waits from the beginning of the execution.
  const first = attempts.reduce<Attempt | null>((least, one) => (least === null || (one.atMs ?? 0) < (least.atMs ?? 0) ? one : least), null);
  const shiftMs = first === null ? 0 : course.scheduledMs(stepsOf(first.eventId).at(-1)?.name ?? "");
  const own = attempts.map((attempt) => ofAttempt(attempt, shiftMs, course));
  const endMs = Math.max(0, ...own.map(endOf), ...course.waits.map((wait) => wait.toMs ?? wait.fromMs));
  const all = [...own, ...course.waits.map((wait, i) => ofWait(wait, i, endMs))].sort((a, b) => a.startMs - b.startMs);
  const shown = all.slice(0, most);
  const spanMs = Math.max(0.001, ...shown.map(endOf));
  return { rows: shown.map((row) => onScale(row, spanMs)), spanMs, left: all.length - shown.length };
}

function endOf(row: Bare): number {
  return row.startMs + row.totalMs;
}

function ofAttempt(attempt: Attempt, shiftMs: number, { isBranch }: CourseOfRows): Bare {
  const parts = PARTS.map((part) => ({ part, ms: msOf(attempt, part) }));
  return {
    key: `${attempt.eventId}@${attempt.attempt}`,
    place: placeText(stepsOf(attempt.eventId), isBranch),
    label: attempt.grain + (attempt.attempt > 1 ? ` (attempt ${attempt.attempt})` : ""),
    error: attempt.error,
    startMs: shiftMs + (attempt.atMs ?? 0),
    totalMs: parts.reduce((sum, { ms }) => sum + ms, 0),
    parts,
  };
}

function ofWait({ kind, place, fromMs, toMs }: Wait, i: number, endMs: number): Bare {
  const ms = (toMs ?? endMs) - fromMs;
  return { key: `wait ${i}`, place, label: toMs === null ? `${WAITS[kind]} still` : WAITS[kind], error: null, startMs: fromMs, totalMs: ms, parts: [{ part: "wait", ms }] };
}

function onScale(row: Bare, spanMs: number): Row {
  let at = row.startMs;
  const parts = row.parts.map(({ part, ms }) => {
    const placed = { part, ms, fromShare: at / spanMs, share: ms / spanMs };
    at += ms;
    return placed;
  });
  return { ...row, parts };
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
