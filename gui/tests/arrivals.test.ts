import { expect, test } from "vitest";
import { type Seen, ratesOf, seen } from "../src/model/arrivals";

const all = (...samples: readonly (readonly [number, number, number?])[]): readonly Seen[] =>
  samples.reduce<readonly Seen[]>((before, [atMs, sent, done = 0]) => seen(before, { atMs, sent, done }), []);

test("a rate is what came, and what was worked off, in the time that was seen, and none before that is long enough", () => {
  expect(ratesOf([])).toBeNull();
  expect(ratesOf(all([0, 100], [2_000, 120]))).toBeNull();
  expect(ratesOf(all([0, 100, 90], [5_000, 110, 95], [10_000, 120, 120]))).toEqual({ inPerSecond: 2, outPerSecond: 3 });
});

test("what is older than ten seconds does not count, nor an answer that came twice", () => {
  const samples = all([0, 0], [5_000, 1_000], [12_000, 1_000], [12_000, 5_000]);
  expect(samples.map((one) => one.atMs)).toEqual([5_000, 12_000]);
  expect(ratesOf(samples)).toEqual({ inPerSecond: 0, outPerSecond: 0 });
});

test("a queue that begins anew has no negative rate", () => {
  expect(ratesOf(all([0, 500], [5_000, 3]))).toBeNull();
  expect(ratesOf(all([0, 500], [5_000, 3], [10_000, 8]))?.inPerSecond).toBe(1);
  expect(ratesOf(all([0, 500, 400], [5_000, 600, 2], [10_000, 600, 12]))?.outPerSecond).toBe(2);
});
