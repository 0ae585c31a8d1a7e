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
