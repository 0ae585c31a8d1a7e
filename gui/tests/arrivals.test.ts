import { expect, test } from "vitest";
import { type Seen, rateOf, seen } from "../src/model/arrivals";

const all = (...samples: readonly (readonly [number, number])[]): readonly Seen[] =>
  samples.reduce<readonly Seen[]>((before, [atMs, sent]) => seen(before, { atMs, sent }), []);

test("a rate is what came in the time that was seen, and none before that is long enough", () => {
  expect(rateOf([])).toBeNull();
  expect(rateOf(all([0, 100], [2_000, 120]))).toBeNull();
  expect(rateOf(all([0, 100], [5_000, 110], [10_000, 120]))).toBe(2);
});

test("what is older than a minute does not count, nor an answer that came twice", () => {
  const samples = all([0, 0], [50_000, 1_000], [100_000, 1_000], [100_000, 5_000]);
  expect(samples.map((one) => one.atMs)).toEqual([50_000, 100_000]);
  expect(rateOf(samples)).toBe(0);
});

test("a queue that begins anew has no negative rate", () => {
  expect(rateOf(all([0, 500], [10_000, 3]))).toBeNull();
  expect(rateOf(all([0, 500], [10_000, 3], [20_000, 13]))).toBe(1);
});
