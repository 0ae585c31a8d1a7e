// The timeline of a workflow's execution: where each attempt was, and what was waited for between them.
import { expect, test } from "vitest";
import type { HistoryEvent } from "../src/model/history";
import { placeText, stepsOf } from "../src/model/steps";
import { rowsOf } from "../src/model/timeline";
import { waitsOf } from "../src/model/waits";

/** Events as "ms, previous, Type, {details}"; ids count from 1. */
function events(...written: readonly (readonly [number, number, string, Record<string, unknown>?])[]): HistoryEvent[] {
  return written.map(([ms, previousEventId, type, about], i) => ({
    id: i + 1,
    previousEventId,
    type,
    timestamp: new Date(Date.UTC(2026, 0) + ms).toISOString(),
    ...(about && { someEventDetails: about }),
  }));
}

test("an attempt's event says where it was: states, items and branches around it", () => {
  const steps = stepsOf("01JD/Scan[3]/Both#2[0]/How large%3f %2f%5b1%5d#12");
  expect(steps).toEqual([
    { name: "Scan", visit: 1, index: 3 },
    { name: "Both", visit: 2, index: 0 },
    { name: "How large? /[1]", visit: 12, index: null },
  ]);
  expect(placeText(steps, (name) => name === "Both")).toBe("Scan item 3 › Both #2 branch 0 › How large? /[1] #12");
  expect(placeText(stepsOf("01JD/greet"), () => false)).toBe("greet");
});

const RAN = events(
  [0, 0, "ExecutionStarted", {}],
  [0, 0, "WaitStateEntered", { name: "Pause" }],
  [2000, 2, "WaitStateExited", { name: "Pause" }],
  [2000, 3, "MapStateEntered", { name: "Scan" }],
  [2000, 4, "MapStateStarted", { length: 1 }],
  [2000, 5, "MapIterationStarted", { name: "Scan", index: 0 }],
  [2000, 6, "TaskStateEntered", { name: "Check" }],
  [2000, 7, "LambdaFunctionScheduled"],
  [2010, 8, "LambdaFunctionFailed", { error: "E" }],
  [3010, 9, "LambdaFunctionScheduled"],
  [3020, 10, "LambdaFunctionSucceeded"],
  [3020, 11, "TaskStateExited", { name: "Check" }],
  [3020, 12, "TaskStateEntered", { name: "Ask" }],
  [3020, 13, "TaskScheduled"],
  [3030, 14, "TaskSubmitted"],
);

test("waits of a Wait state, before another attempt, and for an answer are told with their places", () => {
  const open = waitsOf(RAN).waits;
  expect(open).toEqual([
    { kind: "wait", place: "Pause", fromMs: 0, toMs: 2000 },
    { kind: "retry", place: "Scan item 0 › Check", fromMs: 2010, toMs: 3010 },
    { kind: "answer", place: "Scan item 0 › Ask", fromMs: 3030, toMs: null },
  ]);
  const answered = waitsOf([...RAN, ...events(...Array.from({ length: 15 }, () => [0, 0, ""] as const), [5000, 15, "TaskSucceeded"]).slice(15)]).waits;
  expect(answered.at(-1)).toMatchObject({ kind: "answer", toMs: 5000 });
  const cut = waitsOf([...RAN, ...events(...Array.from({ length: 15 }, () => [0, 0, ""] as const), [4000, 15, "ExecutionAborted", {}]).slice(15)]).waits;
  expect(cut.at(-1)).toMatchObject({ kind: "answer", toMs: 4000 });
});

test("what failed for good, or was caught, did not wait", () => {
  const failed = (...rest: readonly (readonly [number, number, string, Record<string, unknown>?])[]) =>
    waitsOf(events([0, 0, "ExecutionStarted", {}], [0, 0, "TaskStateEntered", { name: "A" }], [0, 2, "LambdaFunctionScheduled"], [5, 3, "LambdaFunctionFailed", {}], ...rest)).waits;
  expect(failed([9, 4, "ExecutionFailed", {}])).toEqual([]);
  expect(failed([9, 4, "TaskStateExited", { name: "A" }])).toEqual([]);
  expect(failed()).toMatchObject([{ kind: "retry", toMs: null }]);
});

test("attempts and waits are on one scale, from the beginning of the execution", () => {
  const attempt = { grain: "check", attempt: 1, error: null, queueMs: 0, dispatchMs: 0, runMs: 10, busMs: 0 };
  const { rows, spanMs } = rowsOf(
    [
      { ...attempt, eventId: "e/Scan[0]/Check", atMs: 0 },
      { ...attempt, eventId: "e/Scan[0]/Check#2", atMs: 1010 },
      { ...attempt, eventId: "e/Scan[0]/Ask", grain: "ask", atMs: 1020 },
    ],
    10,
    { ...waitsOf(RAN), isBranch: () => false },
  );
  expect(rows.map(({ place, label, startMs }) => [place, label, startMs])).toEqual([
    ["Pause", "waits", 0],
    ["Scan item 0 › Check", "check", 2000],
    ["Scan item 0 › Check", "waits to try again", 2010],
    ["Scan item 0 › Check #2", "check", 3010],
    ["Scan item 0 › Ask", "ask", 3020],
    ["Scan item 0 › Ask", "waits for an answer still", 3030],
  ]);
  expect(spanMs).toBe(3030);
});
