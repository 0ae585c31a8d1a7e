import { expect, test } from "vitest";
import { type HistoryEvent, grows, redrivenMs } from "../src/model/history";

const at = (ms: number) => ({ id: 1, previousEventId: 0, timestamp: new Date(ms).toISOString(), type: "PassStateEntered" });

test("a history is looked at often while something happens, and before its first event", () => {
  expect(grows(undefined, 50_000)).toBe(true);
  expect(grows([], 50_000)).toBe(true);
  expect(grows([at(10_000), at(45_000)], 50_000)).toBe(true);
  expect(grows([at(10_000), at(39_000)], 50_000)).toBe(false);
});

test("when it was redriven last", () => {
  const of = (type: string, ms: number): HistoryEvent => ({ ...at(ms), type });
  const events = [of("ExecutionStarted", 0), of("ExecutionRedriven", 1000), of("ExecutionFailed", 2000), of("ExecutionRedriven", 3000)];
  expect(redrivenMs(events)).toBe(3000);
  expect(redrivenMs(events.slice(0, 1))).toBeNull();
});
