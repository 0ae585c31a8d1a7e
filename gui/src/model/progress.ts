// What each state of a workflow's execution has done, folded from the events of its history (docs/WORKFLOWS.md).
import { transitionId } from "./definition";

export interface HistoryEvent {
  readonly id: number;
  readonly previousEventId: number;
  readonly timestamp: string;
  readonly type: string;
  readonly [details: string]: unknown;
}

export type StateStatus = "running" | "succeeded" | "caught" | "failed";

export interface StateProgress {
  status: StateStatus;
  entered: number;
  exited: number;
  /** Attempts behind the first. */
  retries: number;
  /** Of a Map: iterations that have begun, and how they ended. */
  iterations: { started: number; succeeded: number; failed: number; of: number } | null;
  input: string | null;
  output: string | null;
  error: string | null;
  cause: string | null;
}

export interface Progress {
  readonly states: ReadonlyMap<string, StateProgress>;
  /** Ids of the transitions that were taken. */
  readonly taken: ReadonlySet<string>;
  readonly input: string | null;
}

const NOT_OF_A_STATE = "Execution";

export function progressOf(events: readonly HistoryEvent[]): Progress {
  const byId = new Map(events.map((event) => [event.id, event]));
  const states = new Map<string, StateProgress>();
  const taken = new Set<string>();
  const scheduled = new Map<string, number>();
  let input: string | null = null;

  function state(name: string): StateProgress {
    let found = states.get(name);
    if (!found) {
      found = { status: "running", entered: 0, exited: 0, retries: 0, iterations: null, input: null, output: null, error: null, cause: null };
      states.set(name, found);
    }
    return found;
  }

  /** The state that an event belongs to: of the nearest entry among its causes. */
  function ownerOf(event: HistoryEvent): string | null {
    for (let at = byId.get(event.previousEventId); at; at = byId.get(at.previousEventId)) {
      if (at.type.endsWith("StateEntered")) return text(details(at).name);
    }
    return null;
  }

  for (const event of events) {
    const about = details(event);
    const name = text(about.name);
    if (event.type === "ExecutionStarted") {
      input = text(about.input);
    } else if (event.type.endsWith("StateEntered") && name) {
      const entered = state(name);
      entered.entered += 1;
      entered.status = "running";
      entered.input = text(about.input);
      entered.error = entered.cause = null;
      const before = byId.get(event.previousEventId);
      const from = before?.type.endsWith("StateExited") ? text(details(before).name) : null;
      if (from) taken.add(transitionId(from, name));
    } else if (event.type.endsWith("StateExited") && name) {
      const exited = state(name);
      exited.exited += 1;
      exited.output = text(about.output);
      if (exited.exited >= exited.entered) exited.status = exited.error === null ? "succeeded" : "caught";
    } else if (event.type.startsWith("MapIteration") && name) {
      iteration(state(name), event.type);
    } else if (event.type === "MapStateStarted") {
      const map = state(ownerOf(event) ?? "");
      iterations(map).of += typeof about.length === "number" ? about.length : 0;
    } else if (/^(LambdaFunction|Task)Scheduled$/.test(event.type)) {
      const owner = ownerOf(event);
      if (owner) scheduled.set(owner, (scheduled.get(owner) ?? 0) + 1);
    } else if (/^(LambdaFunction|Task)Succeeded$/.test(event.type)) {
      const owner = ownerOf(event);
      if (owner) state(owner).error = state(owner).cause = null;
    } else if (/(Failed|TimedOut|Aborted)$/.test(event.type)) {
      const owner = ownerOf(event);
      if (!owner) continue;
      const failed = state(owner);
      failed.error = text(about.error) ?? failed.error ?? event.type;
      failed.cause = text(about.cause) ?? failed.cause;
      if (event.type.startsWith(NOT_OF_A_STATE)) giveUp(states);
    } else if (event.type === "ExecutionRedriven") {
      for (const again of states.values()) if (again.status === "failed") again.status = "running";
    }
  }
  for (const [name, times] of scheduled) state(name).retries = Math.max(0, times - state(name).entered);
  states.delete("");
  return { states, taken, input };
}

/** The execution has ended so: what had not been left by then never will be. */
function giveUp(states: ReadonlyMap<string, StateProgress>): void {
  for (const open of states.values()) if (open.status === "running") open.status = "failed";
}

function iterations(map: StateProgress): NonNullable<StateProgress["iterations"]> {
  return (map.iterations ??= { started: 0, succeeded: 0, failed: 0, of: 0 });
}

function iteration(map: StateProgress, type: string): void {
  const counts = iterations(map);
  if (type === "MapIterationStarted") counts.started += 1;
  else if (type === "MapIterationSucceeded") counts.succeeded += 1;
  else counts.failed += 1;
}

/** An event's details stand under a name that follows from its type. */
export function details(event: HistoryEvent): Record<string, unknown> {
  for (const [key, value] of Object.entries(event)) {
    if (key.endsWith("EventDetails") && typeof value === "object" && value !== null) return value as Record<string, unknown>;
  }
  return {};
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
