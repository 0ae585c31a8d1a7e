import { expect, test } from "vitest";
import { readDraft, saved, typed } from "../src/model/draft";
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

test("a draft is what differs, and is none when nothing does", () => {
  const one = typed(null, 4, "a.py", "x", "y");
  expect(one).toEqual({ base: 4, files: { "a.py": "x" } });
  expect(typed(one, 9, "b.py", "new", null)).toEqual({ base: 4, files: { "a.py": "x", "b.py": "new" } });
  expect(typed(one, 9, "a.py", "y", "y")).toBeNull();
  expect(typed(null, 4, "new.txt", "", null)).toBeNull();
});

test("what was typed while it was saved is left to save", () => {
  const now = { base: 4, files: { "a.py": "later", "b.py": "b" } };
  expect(saved(now, { "a.py": "earlier", "b.py": "b" }, 5)).toEqual({ base: 5, files: { "a.py": "later" } });
  expect(saved(now, now.files, 5)).toBeNull();
  expect(saved(null, now.files, 5)).toBeNull();
});

test("of what is kept and no draft nothing is taken", () => {
  expect(readDraft('{"base": 2, "files": {"a": "b", "c": 3}}')).toEqual({ base: 2, files: { a: "b" } });
  for (const text of [null, "", "{", "3", "null", '{"base": "2", "files": {}}', '{"base": 2, "files": {}}']) expect(readDraft(text)).toBeNull();
});
