// When an execution waited, from the events of its history: in a Wait state, before an attempt was made again, for somebody's answer.
import { type Entry, entriesOf } from "./entries";
import type { HistoryEvent } from "./history";
import { placeText } from "./steps";

export const WAITS = { wait: "waits", retry: "waits to try again", answer: "waits for an answer" } as const;
export type WaitKind = keyof typeof WAITS;

export interface Wait {
  readonly kind: WaitKind;
  readonly place: string;
  /** Since the execution began. */
  readonly fromMs: number;
  /** null: it goes on. */
  readonly toMs: number | null;
}

export interface Waits {
  readonly waits: readonly Wait[];
  /** When the first attempt of a state of that name was asked for; 0 when the history does not tell. */
  scheduledMs(state: string): number;
}

const BEGINS = /^(LambdaFunction|Task)Scheduled$|^(Parallel|Map)StateStarted$/;
const FAILS = /^(LambdaFunction|Task|ParallelState|MapState)(Failed|TimedOut)$/;
const ENDS = /^Execution(Succeeded|Failed|TimedOut|Aborted|Redriven)$/;

export function waitsOf(events: readonly HistoryEvent[]): Waits {
  const { about } = entriesOf(events);
  const beganMs = timeOf(events[0]);
  const waits: Wait[] = [];
  const open = new Map<Entry, { readonly kind: WaitKind; readonly fromMs: number }>();
  const scheduled = new Map<string, number>();

  function close(entry: Entry, toMs: number): void {
    const wait = open.get(entry);
    if (wait && toMs > wait.fromMs) waits.push({ ...wait, place: placeOf(entry), toMs });
    open.delete(entry);
  }

  for (const event of events) {
    const now = timeOf(event) - beganMs;
    const entry = about(event.id);
    // What ends or begins again waits for nothing more; one that failed for good did not wait.
    if (ENDS.test(event.type)) {
      for (const [one, { kind }] of [...open]) if (kind === "retry") open.delete(one);
      for (const one of [...open.keys()]) close(one, now);
    }
    if (!entry) continue;
    if (BEGINS.test(event.type)) {
      if (event.type.endsWith("Scheduled") && !scheduled.has(entry.name)) scheduled.set(entry.name, now);
      close(entry, now);
    } else if (event.type === "WaitStateEntered") {
      open.set(entry, { kind: "wait", fromMs: now });
    } else if (event.type === "TaskSubmitted") {
      open.set(entry, { kind: "answer", fromMs: now });
    } else if (FAILS.test(event.type)) {
      close(entry, now);
      open.set(entry, { kind: "retry", fromMs: now });
    } else if (event.type.endsWith("StateExited")) {
      if (open.get(entry)?.kind === "retry") open.delete(entry);
      close(entry, now);
    } else if (event.type === "TaskSucceeded") {
      close(entry, now);
    }
  }
  for (const [entry, wait] of open) if (!isOver(entry)) waits.push({ ...wait, place: placeOf(entry), toMs: null });
  return { waits, scheduledMs: (state) => scheduled.get(state) ?? 0 };
}

/** It, or a state around it, has ended. */
function isOver(entry: Entry): boolean {
  return entry.outcome !== null || entry.superseded;
}

function placeOf(entry: Entry): string {
  const steps = [{ name: entry.name, visit: 1, index: null as number | null }];
  for (let { owner, index } = entry.scope; owner; { owner, index } = owner.scope) steps.unshift({ name: owner.name, visit: 1, index });
  return placeText(steps, () => false);
}

function timeOf(event: HistoryEvent | undefined): number {
  return event ? Date.parse(event.timestamp) : 0;
}
