import { expect, test } from "vitest";
import { ANY_LINE, askedOf, isAnyLine, optionsOf, withNewer, withOlder } from "../src/model/logs";

const lines = (...sequences: number[]) => sequences.map((sequence) => ({ sequence }));

test("what lines are to be like is asked of the platform, and of the command in its words", () => {
  const filter = { ...ANY_LINE, grain: "order", level: "warning", text: "a b", hide: "platform", execution: "E" };
  expect(askedOf(filter)).toEqual({ grain: "order", level: "warning", text: "a b", stream: "stdout,stderr", invocation: "E" });
  expect(optionsOf(filter)).toEqual(["--grain", "order", "--level", "warning", "--text", "a b", "--invocation", "E", "--stream", "stdout", "--stream", "stderr"]);
  expect(askedOf({ ...ANY_LINE, level: "loud", hide: "stdout,stderr,platform" })).toEqual({});
  expect(isAnyLine(ANY_LINE)).toBe(true);
  expect(isAnyLine(filter)).toBe(false);
});

test("older lines come before the others, until there are none", () => {
  const first = withOlder({ lines: lines(8, 9), previous: 8, fetched: 0 }, { lines: lines(5, 7), previous: 5 });
  expect(first).toEqual({ lines: lines(5, 7, 8, 9), previous: 5, fetched: 2 });
  expect(withOlder(first, { lines: [], previous: null }).previous).toBeNull();
});

test("newer lines come once, and take the place of the oldest, which can be fetched again", () => {
  const kept = { lines: lines(1, 2), previous: null, fetched: 0 };
  expect(withNewer(kept, lines(2, 3), 3)).toEqual({ ...kept, lines: lines(1, 2, 3) });
  expect(withNewer(kept, lines(3, 4), 3)).toEqual({ lines: lines(2, 3, 4), previous: 2, fetched: 0 });
  expect(withNewer({ ...kept, fetched: 1 }, lines(3, 4), 3).lines, "what somebody asked for stays").toEqual(lines(1, 2, 3, 4));
});
