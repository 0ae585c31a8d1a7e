// An event of a workflow execution's history, as AWS's GetExecutionHistory has it.

export interface HistoryEvent {
  readonly id: number;
  readonly previousEventId: number;
  readonly timestamp: string;
  readonly type: string;
  readonly [details: string]: unknown;
}

/** An event's details stand under a name that follows from its type. */
export function details(event: HistoryEvent): Record<string, unknown> {
  for (const [key, value] of Object.entries(event)) {
    if (key.endsWith("EventDetails") && typeof value === "object" && value !== null) return value as Record<string, unknown>;
  }
  return {};
}

/** For so long after its last event a history is taken to go on at once. */
const GROWING_MS = 10_000;

/** Whether something has happened lately, or nothing has been seen yet: whoever looks sees the next state soon. */
export function grows(events: readonly HistoryEvent[] | undefined, nowMs: number): boolean {
  const last = events?.at(-1);
  return last === undefined || nowMs - Date.parse(last.timestamp) < GROWING_MS;
}

/** When it was redriven last; null: it was not, or that is not among these. */
export function redrivenMs(events: readonly HistoryEvent[]): number | null {
  const last = events.findLast((event) => event.type === "ExecutionRedriven");
  return last ? Date.parse(last.timestamp) : null;
}
