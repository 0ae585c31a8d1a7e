// A workflow execution's history, page by page; of one that runs, only what came since.
import type { HistoryEvent } from "../model/history";
import { answered, client } from "./client";

/** Most events that a page shows; the rest is had by its address. */
export const MOST_EVENTS = 5_000;
const PAGE = 1_000;

export interface Read {
  readonly events: readonly HistoryEvent[];
  readonly whole: boolean;
}

export async function readHistory(app: string, id: string, before: Read | undefined): Promise<Read> {
  const events = [...(before?.events ?? [])];
  let after = events.at(-1)?.id ?? 0;
  while (events.length < MOST_EVENTS) {
    const page = await answered(
      client.GET("/api/v1/applications/{app}/invocations/{id}/history", { params: { path: { app, id }, query: { limit: PAGE, after } } }),
    );
    events.push(...page.events);
    if (page.next === null) return { events, whole: true };
    after = page.next;
  }
  return { events, whole: false };
}
