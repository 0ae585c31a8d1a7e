import { expect, test } from "vitest";
import { type ListShown, asksForMore } from "../src/model/longList";

const AT_END: ListShown = { hasMore: true, isStuck: false, isNearEnd: true, isScrolled: true, isFilled: true };

test("a list goes on as it is scrolled to its end, or while there is room below it", () => {
  expect(asksForMore(AT_END)).toBe(true);
  expect(asksForMore({ ...AT_END, isScrolled: false })).toBe(false);
  expect(asksForMore({ ...AT_END, isScrolled: false, isFilled: false })).toBe(true);
  expect(asksForMore({ ...AT_END, isNearEnd: false })).toBe(false);
  expect(asksForMore({ ...AT_END, hasMore: false })).toBe(false);
});

test("what did not come is not asked for again by itself", () => {
  for (const isFilled of [true, false]) expect(asksForMore({ ...AT_END, isStuck: true, isFilled })).toBe(false);
});
