import { expect, test } from "vitest";
import { timesOf } from "../src/model/execution";

const STARTED = new Date(2026, 0, 1).getTime();

test("when an execution was begun, and how long it took", () => {
  expect(timesOf({ startedMs: STARTED, endedMs: null, redriveCount: 0 }, null)).toEqual([
    ["Started", "2026-01-01 00:00:00.000"],
    ["Redriven", null],
    ["Took", "runs"],
  ]);
  expect(timesOf({ startedMs: STARTED, endedMs: STARTED + 2500 }, null)[2]).toEqual(["Took", "2.50 s"]);
});

test("of one that was redriven: when it was asked for, and what its last run had of that time", () => {
  const redriven = { startedMs: STARTED, endedMs: STARTED + 70_000, redriveCount: 2 };
  expect(timesOf(redriven, STARTED + 68_000)).toEqual([
    ["Asked for", "2026-01-01 00:00:00.000"],
    ["Redriven", "2 ×, last 2026-01-01 00:01:08.000"],
    ["Took", "1 min 10 s, 2.00 s of it since it was redriven"],
  ]);
  // What is known of the last redrive may be older than the end.
  expect(timesOf(redriven, null)).toEqual([
    ["Asked for", "2026-01-01 00:00:00.000"],
    ["Redriven", "2 ×"],
    ["Took", "1 min 10 s"],
  ]);
  expect(timesOf({ ...redriven, endedMs: null }, STARTED + 68_000)[2]).toEqual(["Took", "runs"]);
});
