import { expect, test } from "vitest";
import type { HistoryEvent } from "../src/model/history";
import { type StateProgress, progressOf, runText, whereOf } from "../src/model/progress";

/** Events as "previous Type {details}"; ids count from 1. */
function events(...written: readonly (readonly [number, string, Record<string, unknown>?])[]): HistoryEvent[] {
  return written.map(([previousEventId, type, about], i) => ({
    id: i + 1,
    previousEventId,
    type,
    timestamp: "2026-01-01T00:00:00Z",
    ...(about && { someEventDetails: about }),
  }));
}

/** The run that is seen first. */
function first(state: StateProgress | undefined) {
  return state?.runs[state.first];
}

const STARTED = [0, "ExecutionStarted", { input: '{"a":1}' }] as const;

test("a state runs from its entry to its exit, and the way to the next was taken", () => {
  const running = events(STARTED, [0, "TaskStateEntered", { name: "A", input: "1" }]);
  expect(progressOf(running).states.get("A")?.status).toBe("running");
  const done = progressOf([
    ...running,
    ...events(STARTED, STARTED, [2, "TaskStateExited", { name: "A", output: "2" }], [3, "SucceedStateEntered", { name: "B" }]).slice(2),
  ]);
  expect(done.input).toBe('{"a":1}');
  expect(done.states.get("A")).toMatchObject({ status: "succeeded", runs: [{ status: "succeeded", input: "1", output: "2", items: [] }], first: 0, entered: 1, retries: 0 });
  expect([...done.taken]).toEqual(["A → B"]);
});

test("where an execution is: the innermost state that runs, else that failed", () => {
  const inside = [STARTED, [0, "ParallelStateEntered", { name: "P" }], [2, "TaskStateEntered", { name: "A" }]] as const;
  expect(whereOf(progressOf(events(STARTED)))).toBe(null);
  expect(whereOf(progressOf(events(...inside)))).toBe("A");
  expect(whereOf(progressOf(events(STARTED, [0, "TaskStateEntered", { name: "A" }], [2, "LambdaFunctionFailed", { error: "E" }], [3, "ExecutionFailed", { error: "E" }])))).toBe("A");
});

test("an attempt that fails and is retried leaves no error", () => {
  const found = progressOf(
    events(
      STARTED,
      [0, "TaskStateEntered", { name: "A" }],
      [2, "LambdaFunctionScheduled"],
      [3, "LambdaFunctionStarted"],
      [4, "LambdaFunctionFailed", { error: "E", cause: "why" }],
      [5, "LambdaFunctionScheduled"],
      [6, "LambdaFunctionSucceeded", { output: "1" }],
      [7, "TaskStateExited", { name: "A", output: "1" }],
    ),
  ).states.get("A");
  expect(found).toMatchObject({ status: "succeeded", retries: 1, runs: [{ error: null }] });
});

test("a state that fails and is caught says with what", () => {
  const found = progressOf(
    events(STARTED, [0, "TaskStateEntered", { name: "A" }], [2, "LambdaFunctionScheduled"], [3, "LambdaFunctionFailed", { error: "E" }], [4, "TaskStateExited", { name: "A" }]),
  ).states.get("A");
  expect(found).toMatchObject({ status: "caught", runs: [{ error: "E" }] });
});

test("the end of the execution ends what still ran, and a redrive has it run again", () => {
  const failed = events(
    STARTED,
    [0, "TaskStateEntered", { name: "A" }],
    [2, "LambdaFunctionFailed", { error: "E", cause: "why" }],
    [3, "ExecutionFailed", { error: "E", cause: "why" }],
  );
  expect(progressOf(failed).states.get("A")).toMatchObject({ status: "failed", runs: [{ error: "E", cause: "why" }] });
  const again = progressOf([...failed, { id: 5, previousEventId: 4, type: "ExecutionRedriven", timestamp: "" }]);
  expect(again.states.get("A")?.status).toBe("running");
});

test("the attempts of a redrive are no retries, nor is a Parallel that begins again with one; those behind its first are", () => {
  const failed = events(
    STARTED,
    P,
    [2, "ParallelStateStarted"],
    [3, "TaskStateEntered", { name: "A" }],
    [4, "LambdaFunctionScheduled"],
    [5, "LambdaFunctionFailed", { error: "E" }],
    [6, "ExecutionFailed", { error: "E" }],
    [7, "ExecutionRedriven", { redriveCount: 1 }],
    [8, "LambdaFunctionScheduled"],
    [9, "LambdaFunctionFailed", { error: "E" }],
    [10, "LambdaFunctionScheduled"],
  );
  // What is behind the redrive goes on where the execution failed.
  const found = progressOf(failed).states;
  expect(found.get("A")).toMatchObject({ status: "running", entered: 1, retries: 1, redrives: 1 });
  expect(found.get("P")).toMatchObject({ retries: 0, redrives: 1 });
  const whole = progressOf(events(STARTED, P, [2, "ParallelStateStarted"], [3, "ParallelStateFailed", { error: "E" }], [4, "ExecutionFailed"], [5, "ExecutionRedriven"], [6, "ParallelStateStarted"], [7, "PassStateEntered", { name: "A" }])).states;
  expect(whole.get("P")).toMatchObject({ status: "running", retries: 0, redrives: 1 });
});

test("a redrive from a state that is named leaves behind what came since, also inside of a Parallel", () => {
  const stopped = events(
    STARTED,
    [0, "TaskStateEntered", { name: "A" }],
    [2, "TaskStateExited", { name: "A", output: "1" }],
    [3, "ParallelStateEntered", { name: "P" }],
    [4, "ParallelStateStarted"],
    [5, "WaitStateEntered", { name: "W" }],
    [5, "ExecutionAborted"],
    [7, "ExecutionRedriven", { redriveCount: 1, from: "A" }],
    [8, "TaskStateEntered", { name: "A" }],
  );
  const again = progressOf(stopped).states;
  expect([...again].map(([name, { status }]) => [name, status])).toEqual([
    ["A", "running"],
    ["P", "aborted"],
    ["W", "aborted"],
  ]);
  const ended = progressOf([
    ...stopped,
    ...events(...stopped.map(() => STARTED), [9, "TaskStateExited", { name: "A", output: "2" }], [10, "ParallelStateEntered", { name: "P" }]).slice(stopped.length),
  ]);
  expect(ended.states.get("A")).toMatchObject({ status: "succeeded", entered: 2, runs: [{ output: "1" }, { output: "2" }], first: 1 });
  expect(ended.states.get("P")?.status).toBe("running");
  expect(ended.taken.has("A → P")).toBe(true);
});

test("a Map counts its iterations, however many states of one name are open", () => {
  const found = progressOf(
    events(
      STARTED,
      [0, "MapStateEntered", { name: "M" }],
      [2, "MapStateStarted", { length: 2 }],
      [3, "MapIterationStarted", { name: "M", index: 0 }],
      [4, "PassStateEntered", { name: "P" }],
      [3, "MapIterationStarted", { name: "M", index: 1 }],
      [6, "PassStateEntered", { name: "P" }],
      [5, "PassStateExited", { name: "P" }],
      [8, "MapIterationSucceeded", { name: "M", index: 0 }],
    ),
  );
  expect(found.states.get("M")?.iterations).toEqual({ started: 2, succeeded: 1, failed: 0, of: 2 });
  expect(found.states.get("P")).toMatchObject({ status: "running", entered: 2, exited: 1 });
});

const P = [0, "ParallelStateEntered", { name: "P" }] as const;

test("the branches that a caught failure leaves behind do not run on", () => {
  const found = progressOf(
    events(
      STARTED,
      P,
      [2, "ParallelStateStarted"],
      [3, "TaskStateEntered", { name: "A" }],
      [3, "WaitStateEntered", { name: "W" }],
      [4, "LambdaFunctionFailed", { error: "E" }],
      [6, "ParallelStateFailed"],
      [7, "ParallelStateExited", { name: "P" }],
      [8, "PassStateEntered", { name: "H" }],
    ),
  ).states;
  expect([...found].map(([name, { status }]) => [name, status])).toEqual([
    ["P", "caught"],
    ["A", "failed"],
    ["W", "aborted"],
    ["H", "running"],
  ]);
  expect(first(found.get("P"))?.error).toBe("E");
});

test("what a Parallel that is retried has in it now, and not what it had", () => {
  const first = events(STARTED, P, [2, "ParallelStateStarted"], [3, "TaskStateEntered", { name: "A" }], [3, "WaitStateEntered", { name: "W" }], [4, "TaskFailed", { error: "E" }], [6, "ParallelStateStarted"]);
  const again = progressOf(first).states;
  expect([again.get("P"), again.get("A"), again.get("W")].map((one) => one?.status)).toEqual(["running", "failed", "aborted"]);
  const second = progressOf([...first, { id: 8, previousEventId: 7, type: "TaskStateEntered", timestamp: "", someEventDetails: { name: "A" } }]).states;
  expect(second.get("A")).toMatchObject({ status: "running", entered: 2 });
});

test("an inner Parallel that has failed is not the one that begins again", () => {
  const found = progressOf(
    events(
      STARTED,
      P,
      [2, "ParallelStateStarted"],
      [3, "ParallelStateEntered", { name: "Q" }],
      [4, "ParallelStateStarted"],
      [5, "FailStateEntered", { name: "Boom" }],
      [6, "ParallelStateFailed"],
      [7, "ParallelStateStarted"],
    ),
  ).states;
  expect(found.get("P")).toMatchObject({ status: "running", retries: 1 });
  expect(found.get("Q")).toMatchObject({ status: "failed", retries: 0 });
});

test("one that is stopped has not failed; a redrive opens what had not been left, and nothing else", () => {
  const stopped = events(STARTED, P, [2, "ParallelStateStarted"], [3, "PassStateEntered", { name: "A" }], [4, "PassStateExited", { name: "A" }], [3, "WaitStateEntered", { name: "W" }], [6, "ExecutionAborted"]);
  expect([...progressOf(stopped).states.values()].map((one) => one.status)).toEqual(["aborted", "succeeded", "aborted"]);
  const redriven = progressOf([...stopped, { id: 8, previousEventId: 7, type: "ExecutionRedriven", timestamp: "" }]).states;
  expect([...redriven.values()].map((one) => one.status)).toEqual(["running", "succeeded", "running"]);
});

test("a loop shows its last time first", () => {
  const found = progressOf(
    events(
      STARTED,
      [0, "TaskStateEntered", { name: "A" }],
      [2, "TaskFailed", { error: "E" }],
      [3, "TaskStateExited", { name: "A" }],
      [4, "TaskStateEntered", { name: "A" }],
      [5, "TaskStateExited", { name: "A", output: "1" }],
    ),
  );
  expect(found.states.get("A")).toMatchObject({ status: "succeeded", entered: 2, first: 1 });
  expect(found.states.get("A")?.runs.map(({ status, error, output }) => [status, error, output])).toEqual([["caught", "E", null], ["succeeded", null, "1"]]);
  expect([...found.taken]).toEqual(["A → A"]);
});

test("each run of a state in a Map has its own input, output and error, and the one that failed comes first", () => {
  const written = events(
    STARTED,
    [0, "MapStateEntered", { name: "M" }],
    [2, "MapStateStarted", { length: 3 }],
    [3, "MapIterationStarted", { name: "M", index: 0 }],
    [4, "TaskStateEntered", { name: "A", input: "i0" }],
    [3, "MapIterationStarted", { name: "M", index: 1 }],
    [6, "TaskStateEntered", { name: "A", input: "i1" }],
    [3, "MapIterationStarted", { name: "M", index: 2 }],
    [8, "TaskStateEntered", { name: "A", input: "i2" }],
    [5, "TaskStateExited", { name: "A", output: "o0" }],
    [7, "LambdaFunctionFailed", { error: "E", cause: "why" }],
    [11, "MapIterationFailed", { name: "M", index: 1 }],
  );
  const state = progressOf(written).states.get("A") as StateProgress;
  expect(state).toMatchObject({ status: "running", first: 1 });
  expect(state.runs).toEqual([
    { status: "succeeded", items: [{ map: "M", index: 0 }], input: "i0", output: "o0", error: null, cause: null },
    { status: "failed", items: [{ map: "M", index: 1 }], input: "i1", output: null, error: "E", cause: "why" },
    { status: "running", items: [{ map: "M", index: 2 }], input: "i2", output: null, error: null, cause: null },
  ]);
  expect(runText(state, 1)).toBe("2 of 3, item 1");
});

test("what runs beside a branch that failed is aborted, and is no error of the state that failed", () => {
  const found = progressOf(
    events(
      STARTED,
      [0, "ParallelStateEntered", { name: "P" }],
      [2, "ParallelStateStarted"],
      [3, "TaskStateEntered", { name: "A" }],
      [3, "WaitStateEntered", { name: "W" }],
      [3, "FailStateEntered", { name: "F" }],
      [6, "TaskStateAborted"],
      [6, "WaitStateAborted"],
      [6, "ParallelStateFailed"],
      [9, "ExecutionFailed", { error: "E", cause: "why" }],
    ),
  );
  expect(first(found.states.get("A"))).toMatchObject({ status: "aborted", error: null });
  expect(first(found.states.get("W"))).toMatchObject({ status: "aborted", error: null });
  expect(first(found.states.get("F"))).toMatchObject({ status: "failed" });
  expect(first(found.states.get("P"))).toMatchObject({ status: "failed", cause: "why" });
});

test("iterations beside one that failed are none that failed", () => {
  const written = events(
    STARTED,
    [0, "MapStateEntered", { name: "M" }],
    [2, "MapStateStarted", { length: 2 }],
    [3, "MapIterationStarted", { name: "M", index: 0 }],
    [3, "MapIterationStarted", { name: "M", index: 1 }],
    [4, "TaskStateEntered", { name: "A" }],
    [5, "TaskStateEntered", { name: "A" }],
    [6, "LambdaFunctionFailed", { error: "E" }],
    [8, "MapIterationFailed", { name: "M", index: 0 }],
    [8, "TaskStateAborted"],
    [8, "MapIterationAborted", { name: "M", index: 1 }],
    [8, "TaskStateAborted"],
    [8, "MapStateFailed"],
    [13, "ExecutionFailed", { error: "E" }],
  );
  const states = progressOf(written).states;
  expect(states.get("A")?.runs.map((run) => run.status)).toEqual(["failed", "aborted"]);
  expect(states.get("M")).toMatchObject({ status: "failed", iterations: { started: 2, succeeded: 0, failed: 1, of: 2 } });
});

test("a run inside of a Map in a Map names the items of both", () => {
  const state = progressOf(
    events(
      STARTED,
      [0, "MapStateEntered", { name: "M" }],
      [2, "MapStateStarted", { length: 5 }],
      [3, "MapIterationStarted", { name: "M", index: 4 }],
      [4, "MapStateEntered", { name: "N" }],
      [5, "MapStateStarted", { length: 1 }],
      [6, "MapIterationStarted", { name: "N", index: 0 }],
      [7, "PassStateEntered", { name: "A" }],
    ),
  ).states.get("A") as StateProgress;
  expect(runText(state, 0)).toBe("1 of 1, item 4 of M, item 0 of N");
});

test("states may have the names that objects have", () => {
  const found = progressOf(events(STARTED, [0, "PassStateEntered", { name: "__proto__" }], [2, "PassStateExited", { name: "__proto__" }], [3, "PassStateEntered", { name: "constructor" }]));
  expect([...found.states].map(([name, { status }]) => [name, status])).toEqual([["__proto__", "succeeded"], ["constructor", "running"]]);
});

test("of a history that is cut what has not ended is not said to run", () => {
  const cut = events(STARTED, [0, "MapStateEntered", { name: "M", input: "1" }], [2, "MapStateStarted", { length: 9 }]);
  expect(progressOf(cut, true).states.get("M")?.status).toBe("unknown");
  expect(progressOf(cut).states.get("M")?.status).toBe("running");
});
