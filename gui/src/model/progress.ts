// What each state of a workflow's execution has done, folded from the events of its history (docs/WORKFLOWS.md): first every entry
// into a state in its place (entries.ts), then the entries of one state together, each of which is a run of it.
import { type Entry, type Outcome, entriesOf } from "./entries";
import { transitionId } from "./definition";
import type { HistoryEvent } from "./history";

/** unknown: the execution has ended, and this state's end is behind the events that were read. */
export type StateStatus = "running" | "unknown" | Outcome;

export interface Iterations {
  readonly started: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly of: number;
}

/** A state entered once: all of it belongs together. */
export interface Run {
  readonly status: StateStatus;
  /** The item of each Map around it, from the outermost, that the history tells. */
  readonly items: readonly { readonly map: string; readonly index: number }[];
  readonly input: string | null;
  readonly output: string | null;
  readonly error: string | null;
  readonly cause: string | null;
}

export interface StateProgress {
  /** Of its runs together. */
  readonly status: StateStatus;
  readonly entered: number;
  readonly exited: number;
  /** Attempts behind the first, and further starts of a Parallel or Map. */
  readonly retries: number;
  /** How often it ran on after its execution had ended. */
  readonly redrives: number;
  /** Of a Map: iterations that have begun, and how they ended. */
  readonly iterations: Iterations | null;
  /** In the order in which they began; at least one. */
  readonly runs: readonly Run[];
  /** Which of them is to be seen first: the last that failed, else that was caught, else the last. */
  readonly first: number;
}

export interface Progress {
  readonly states: ReadonlyMap<string, StateProgress>;
  /** Ids of the transitions that were taken. */
  readonly taken: ReadonlySet<string>;
  readonly input: string | null;
}

/** @param isCut it has ended, and there are more events than these */
export function progressOf(events: readonly HistoryEvent[], isCut = false): Progress {
  const { entries, input } = entriesOf(events);
  const states = new Map<string, StateProgress>();
  for (const [name, own] of Map.groupBy(entries, (entry) => entry.name)) states.set(name, together(own, isCut ? "unknown" : "running"));
  const taken = new Set(entries.flatMap((entry) => (entry.from === null ? [] : [transitionId(entry.from, entry.name)])));
  return { states, taken, input };
}

/** Where it is, or has come to its end: the innermost state that runs, else that failed; null: neither. */
export function whereOf({ states }: Progress): string | null {
  for (const status of ["running", "failed"]) {
    const found = [...states].findLast(([, { status: its }]) => its === status);
    if (found) return found[0];
  }
  return null;
}

/** What is worst, or still goes on, comes first. */
const RANKS: readonly StateStatus[] = ["running", "unknown", "failed", "aborted", "caught", "succeeded"];

function together(entries: readonly Entry[], open: StateStatus): StateProgress {
  const statusOf = (entry: Entry): StateStatus => entry.outcome ?? open;
  // An attempt of a Parallel that was begun again counts no more, unless there is nothing else.
  const live = entries.filter((entry) => !entry.superseded);
  const counted = live.length > 0 ? live : entries.slice(-1);
  const status = RANKS.find((rank) => counted.some((entry) => statusOf(entry) === rank)) ?? open;
  return {
    status,
    entered: entries.length,
    exited: entries.filter((entry) => entry.exited).length,
    retries: entries.reduce((sum, entry) => sum + entry.retries, 0),
    redrives: entries.reduce((sum, entry) => sum + entry.redrives, 0),
    iterations: iterationsOf(counted),
    runs: entries.map((entry) => ({ status: statusOf(entry), items: itemsOf(entry), input: entry.input, output: entry.output, error: entry.error, cause: entry.cause })),
    first: entries.lastIndexOf(toSee(counted)),
  };
}

function toSee(counted: readonly Entry[]): Entry {
  const last = (outcome: Outcome): Entry | undefined => counted.findLast((entry) => entry.outcome === outcome);
  return last("failed") ?? last("caught") ?? (counted.at(-1) as Entry);
}

function itemsOf(entry: Entry): Run["items"] {
  const items: { map: string; index: number }[] = [];
  for (let { owner, index } = entry.scope; owner; { owner, index } = owner.scope) if (index !== null) items.unshift({ map: owner.name, index });
  return items;
}

/** Which run it is, in words: "3 of 7, item 2". */
export function runText({ runs }: StateProgress, at: number): string {
  const items = runs[at]?.items ?? [];
  const told = items.map(({ map, index }) => (items.length > 1 ? `item ${index} of ${map}` : `item ${index}`));
  return [`${at + 1} of ${runs.length}`, ...told].join(", ");
}

function iterationsOf(entries: readonly Entry[]): Iterations | null {
  const all = entries.flatMap((entry) => (entry.iterations ? [entry.iterations] : []));
  if (all.length === 0) return null;
  const sum = (of: (one: Iterations) => number): number => all.reduce((total, one) => total + of(one), 0);
  return { started: sum((one) => one.started), succeeded: sum((one) => one.succeeded), failed: sum((one) => one.failed), of: sum((one) => one.of) };
}
