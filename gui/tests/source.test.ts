import { expect, test } from "vitest";
import { grainOf, handlersOf, lineAt, lineOf, placesOf } from "../src/model/source";

const TRACE = `Traceback (most recent call last):
  File "/var/sand/b/abc/grains/a/handler.py", line 12, in handle
    return rate(event)
  File "/var/sand/b/abc/lib/rates.py", line 3, in rate
    raise Wrong("File \\"grains/a/handler.py\\", line 99")
  File "/usr/lib/python3/json/decoder.py", line 5, in decode
Wrong: it is
`;

test("the places of a stack trace that are in the application, the innermost first", () => {
  const paths = ["handler.py", "grains/a/handler.py", "grains/aa/handler.py", "lib/rates.py"];
  expect(placesOf(TRACE, paths)).toEqual([
    { path: "lib/rates.py", line: 3 },
    { path: "grains/a/handler.py", line: 12 },
  ]);
  expect(placesOf("", paths)).toEqual([]);
  expect(placesOf(TRACE, [])).toEqual([]);
});

test("which grain a file is of, and where a handler may be", () => {
  expect(["grains/a/lib/x.py", "grains/a", "lib/a.py"].map(grainOf)).toEqual(["a", null, null]);
  expect(handlersOf("a", "pack.work:run")).toEqual(["grains/a/pack/work.py", "grains/a/pack/work/__init__.py"]);
});

test("lines of a text, also of one that is shorter than was thought", () => {
  const text = "one\n  two\n\nfour";
  const shown = (line: number): string => text.slice(lineAt(text, line).from, lineAt(text, line).to);
  expect([1, 2, 3, 4, 9].map(shown)).toEqual(["one", "two", "", "four", "four"]);
  expect([0, 3, 4, 10, 11].map((offset) => lineOf(text, offset))).toEqual([1, 1, 2, 3, 4]);
});
