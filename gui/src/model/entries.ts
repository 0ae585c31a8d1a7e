// Every entry into a state in its place, from the events of a history. An entry stands in a scope: the machine's own, a start of a
// Parallel (its branches together, since names are unique) or one iteration of a Map. What an event is about follows from the event
// before it, upward: `ParallelStateExited` after the last event of a branch is of the Parallel around that branch.
//   entered → running → exited: succeeded, or caught when it had an error
//                     → the state around it, or the execution, ends first: failed when it had an error, else aborted
//   a Parallel or Map that begins again leaves what was in it behind; a redrive opens again what had not been left,
//   or, from a state that is named, leaves behind what came since
import { type HistoryEvent, details } from "./history";

export type Outcome = "succeeded" | "caught" | "failed" | "aborted";

interface Scope {
  readonly owner: Entry | null;
  /** Of an iteration of a Map: its item's, from 0; null: it is none, or the history does not tell. */
  readonly index: number | null;
  readonly entries: Entry[];
}

export interface Entry {
  readonly name: string;
  readonly type: string;
  readonly scope: Scope;
  /** The state that was left for this one. */
  readonly from: string | null;
  scopes: Scope[];
  /** null: it runs. */
  outcome: Outcome | null;
  exited: boolean;
  superseded: boolean;
  /** Attempts, and starts of a Parallel or Map, since it was entered or redriven: further ones are retries. */
  scheduled: number;
  starts: number;
  retries: number;
  redrives: number;
  iterations: { started: number; succeeded: number; failed: number; of: number } | null;
  readonly input: string | null;
  output: string | null;
  error: string | null;
  cause: string | null;
}

/** Where an execution is behind an event: what that was about, and the scope in which the next state would be entered. */
interface Place {
  readonly entry: Entry | null;
  readonly scope: Scope;
  readonly left: string | null;
}

export interface Entries {
  readonly entries: readonly Entry[];
  /** The entry that an event, by its id, is about. */
  about(event: number): Entry | null;
  readonly input: string | null;
}

export function entriesOf(events: readonly HistoryEvent[]): Entries {
  const top: Scope = { owner: null, index: null, entries: [] };
  const places = new Map<number, Place>();
  const entries: Entry[] = [];
  let input: string | null = null;
  for (const event of events) {
    const before = places.get(event.previousEventId) ?? { entry: null, scope: top, left: null };
    if (event.type === "ExecutionStarted") input = text(details(event).input);
    places.set(event.id, placeBehind(event, before, entries, top));
  }
  return { entries, input, about: (event) => places.get(event)?.entry ?? null };
}

function placeBehind(event: HistoryEvent, before: Place, entries: Entry[], top: Scope): Place {
  const about = details(event);
  const name = text(about.name);
  const same: Place = { ...before, left: null };
  const [, kind = "", what = ""] = /^(Parallel|Map)State(Started|Failed)$/.exec(event.type) ?? [];

  if (event.type.endsWith("StateEntered") && name !== null) {
    const entry = newEntry(name, event.type.slice(0, -"StateEntered".length), before, text(about.input));
    for (const old of before.scope.entries) if (old.name === name) leaveBehind(old);
    before.scope.entries.push(entry);
    entries.push(entry);
    return { entry, scope: before.scope, left: null };
  }
  if (event.type.endsWith("StateExited") && name !== null) {
    const entry = around(before.entry, (one) => one.name === name && !one.exited);
    if (!entry) return same;
    entry.exited = true;
    entry.output = text(about.output);
    end(entry, entry.error === null ? "succeeded" : "caught");
    return { entry, scope: entry.scope, left: name };
  }
  if (event.type.startsWith("MapIteration") && name !== null) {
    const index = typeof about.index === "number" ? about.index : null;
    return iteration(event.type, index, around(before.entry, (one) => one.name === name && one.type === "Map"), before);
  }
  if (what === "Started") {
    const entry = around(before.entry, (one) => one.type === kind && one.outcome === null);
    return entry ? start(entry, kind === "Map" ? number(about.length) : null) : same;
  }
  if (what === "Failed") {
    const isIt = (one: Entry): boolean => one.type === kind;
    const entry = around(before.entry, (one) => isIt(one) && one.outcome === null) ?? around(before.entry, isIt);
    if (!entry) return same;
    entry.error = text(about.error) ?? before.entry?.error ?? event.type;
    entry.cause = text(about.cause) ?? before.entry?.cause ?? null;
    end(entry, "failed");
    return { entry, scope: entry.scope, left: null };
  }
  if (event.type === "ExecutionRedriven") return redriven(text(about.from), same, top);
  if (/^Execution(Succeeded|Failed|TimedOut|Aborted)$/.test(event.type)) finish(event.type, about, before.entry, top);
  else if (before.entry) attempt(event.type, about, before.entry);
  return same;
}

/** What happens while a state is worked at. */
function attempt(type: string, about: Readonly<Record<string, unknown>>, entry: Entry): void {
  if (/^(LambdaFunction|Task)Scheduled$/.test(type)) {
    entry.scheduled += 1;
    if (entry.scheduled > 1) entry.retries += 1;
  } else if (/^(LambdaFunction|Task)Succeeded$/.test(type)) {
    entry.error = entry.cause = null;
  } else if (type.endsWith("StateAborted")) {
    // States beside one that failed are told behind its event too: they end with the Parallel or Map around them.
    if (type === "TaskStateAborted" && entry.type === "Task") end(entry, entry.error === null ? "aborted" : "failed");
  } else if (/(Failed|TimedOut|Aborted)$/.test(type)) {
    entry.error = text(about.error) ?? entry.error ?? type;
    entry.cause = text(about.cause) ?? entry.cause;
  }
}

function start(entry: Entry, length: number | null): Place {
  if (entry.starts > 0) entry.retries += 1;
  entry.scopes.flatMap((scope) => scope.entries).forEach(leaveBehind);
  entry.scopes = [];
  entry.starts += 1;
  entry.error = entry.cause = null;
  if (length !== null) entry.iterations = { started: 0, succeeded: 0, failed: 0, of: length };
  return { entry, scope: opened(entry), left: null };
}

function iteration(type: string, index: number | null, map: Entry | null, before: Place): Place {
  if (!map || type === "MapIterationAborted") return { ...before, left: null };
  const counts = (map.iterations ??= { started: 0, succeeded: 0, failed: 0, of: 0 });
  if (type === "MapIterationStarted") {
    counts.started += 1;
    return { entry: map, scope: opened(map, index), left: null };
  }
  if (type === "MapIterationSucceeded") {
    counts.succeeded += 1;
  } else {
    counts.failed += 1;
    const scope = scopeIn(map, before.scope);
    scope?.entries.forEach((entry) => end(entry, stopped(entry)));
  }
  return { ...before, left: null };
}

/** The execution has ended: what had not been left by then never will be. */
function finish(type: string, about: Readonly<Record<string, unknown>>, last: Entry | null, top: Scope): void {
  if (last && !last.exited && type !== "ExecutionAborted" && type !== "ExecutionSucceeded") {
    last.error = text(about.error) ?? last.error ?? type;
    last.cause = text(about.cause) ?? last.cause;
    for (let at: Entry | null = last; at; at = at.scope.owner) {
      at.error ??= last.error;
      end(at, "failed");
    }
  }
  for (const entry of top.entries) end(entry, type === "ExecutionTimedOut" ? "failed" : stopped(entry));
}

/** Ends it, with all that goes on inside; what has ended stays as it did, but for a state that catches its own failure. */
function end(entry: Entry, outcome: Outcome): void {
  if (entry.outcome === null || (entry.exited && entry.outcome === "failed")) entry.outcome = outcome;
  for (const scope of entry.scopes) for (const inner of scope.entries) if (inner.outcome === null) end(inner, stopped(inner));
}

/** How something ends that is not let end. */
function stopped(entry: Entry): Outcome {
  return entry.error !== null || entry.type === "Fail" ? "failed" : "aborted";
}

function leaveBehind(entry: Entry): void {
  end(entry, stopped(entry));
  entry.superseded = true;
  for (const scope of entry.scopes) scope.entries.forEach(leaveBehind);
}

/** @param from the state that it begins from, once more; null: what had not been left runs again */
function redriven(from: string | null, same: Place, top: Scope): Place {
  if (from === null) {
    top.entries.forEach(open);
    return same;
  }
  const last = top.entries.findLastIndex((entry) => entry.name === from);
  top.entries.forEach((entry, i) => {
    if (i >= last || !entry.exited) leaveBehind(entry);
  });
  return { entry: null, scope: top, left: null };
}

/** What had not been left runs again. */
function open(entry: Entry): void {
  if (entry.exited || entry.superseded) return;
  entry.outcome = null;
  entry.error = entry.cause = null;
  entry.redrives += 1;
  entry.scheduled = entry.starts = 0;
  for (const scope of entry.scopes) scope.entries.forEach(open);
}

function opened(owner: Entry, index: number | null = null): Scope {
  const scope: Scope = { owner, index, entries: [] };
  owner.scopes.push(scope);
  return scope;
}

function scopeIn(owner: Entry, from: Scope): Scope | null {
  let scope: Scope | null = from;
  while (scope && scope.owner !== owner) scope = scope.owner?.scope ?? null;
  return scope;
}

/** The entry itself, or the nearest one around it, that is such. */
function around(entry: Entry | null, such: (entry: Entry) => boolean): Entry | null {
  for (let at = entry; at; at = at.scope.owner) if (such(at)) return at;
  return null;
}

function newEntry(name: string, type: string, { scope, left }: Place, input: string | null): Entry {
  return {
    name, type, scope, from: left, scopes: [], outcome: null, exited: false, superseded: false,
    scheduled: 0, starts: 0, retries: 0, redrives: 0, iterations: null, input, output: null, error: null, cause: null,
  };
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
