import { expect, test } from "vitest";
import { type Figures, failures, latency, linesOf, rate, seconds, shownOf, ticks, windowOf } from "../src/model/figures";

const figures: Figures = {
  fromMs: 100_000,
  sinceMs: 115_000,
  untilMs: 145_000,
  stepMs: 10_000,
  hosts: [{ host: "a", problem: null }],
  applications: [
    { application: "mail", ended: 2, failed: 0, steps: [] },
    {
      application: "shop",
      ended: 40,
      failed: 10,
      p50Ms: 1,
      steps: [
        { startMs: 110_000, ended: 10, failed: 0, p50Ms: 1, p95Ms: 2, p99Ms: 3 },
        { startMs: 130_000, ended: 20, failed: 10, p50Ms: 4, p95Ms: 5, p99Ms: 6 },
        { startMs: 140_000, ended: 10, failed: 0 },
      ],
    },
  ],
};

test("lines have a point a step that is over, and none before anybody looked", () => {
  const lines = linesOf(figures, figures.applications[1]);
  expect(lines.times).toEqual([100, 110, 120, 130]);
  // Of the second step five seconds were seen.
  expect(lines.perSecond).toEqual([null, 2, 0, 2]);
  expect(lines.failedPerSecond).toEqual([null, 0, 0, 1]);
  expect(lines.p99).toEqual([null, 3, null, 6]);
  expect(linesOf(figures, undefined).perSecond).toEqual([null, 0, 0, 0]);
});

test("figures are of the time that somebody looked", () => {
  expect(seconds(figures)).toBe(30);
  expect(seconds({ ...figures, sinceMs: 0 })).toBe(45);
  expect(seconds({ ...figures, sinceMs: 145_000 })).toBe(1);
});

test("in words", () => {
  expect([rate(0, 60), rate(1, 60), rate(90, 60), rate(6_000, 60)]).toEqual(["0/s", "1.0/min", "1.5/s", "100/s"]);
  expect([failures({ ended: 4, failed: 0 }), failures({ ended: 40, failed: 10 }), failures({ ended: 10_000, failed: 1 })]).toEqual(["0", "10 (25 %)", "1 (under 1 %)"]);
  expect([latency(undefined), latency(2.5)]).toEqual(["–", "≤ 2.50 ms"]);
});

test("what is chosen, else the busiest", () => {
  expect([shownOf(figures, ""), shownOf(figures, "mail"), shownOf({ ...figures, applications: [] }, "")]).toEqual(["shop", "mail", ""]);
  expect([windowOf("60"), windowOf("7"), windowOf("")]).toEqual([60, 15, 15]);
});

test("times below the lines: 24 hours, seconds where they are needed, the day where one begins", () => {
  const at = (...when: readonly [number, number, number, number]): number => new Date(2026, 10, when[0], when[1], when[2], when[3]).getTime() / 1000;
  expect(ticks([at(27, 15, 5, 0), at(27, 15, 10, 0)])).toEqual(["15:05\n2026-11-27", "15:10"]);
  expect(ticks([at(27, 23, 59, 30), at(28, 0, 0, 0), at(28, 0, 0, 30)])).toEqual(["23:59:30\n2026-11-27", "00:00:00\n2026-11-28", "00:00:30"]);
  expect(ticks([])).toEqual([]);
});
