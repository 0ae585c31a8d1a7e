import { expect, test } from "vitest";
import { isBehind, readDraft, saved, sentFiles, typed, without } from "../src/model/draft";
import { hasCrlf, withCrlf, withLf } from "../src/model/lines";

const FOUR = { base: 4, bundle: "four" };
const FIVE = { base: 5, bundle: "five" };

test("a draft is what differs, and is none when nothing does", () => {
  const one = typed(null, FOUR, "a.py", "x", "y");
  expect(one).toEqual({ ...FOUR, files: { "a.py": "x" } });
  expect(typed(one, { base: 9, bundle: "nine" }, "b.py", "new", null)).toEqual({ ...FOUR, files: { "a.py": "x", "b.py": "new" } });
  expect(typed(one, FOUR, "a.py", "y", "y")).toBeNull();
  expect(typed(null, FOUR, "new.txt", "", null)).toBeNull();
});

test("what was typed while it was saved is left to save", () => {
  const now = { ...FOUR, files: { "a.py": "later", "b.py": "b" } };
  expect(saved(now, { "a.py": "earlier", "b.py": "b" }, FIVE)).toEqual({ ...FIVE, files: { "a.py": "later" } });
  expect(saved(now, now.files, FIVE)).toBeNull();
  expect(saved(null, now.files, FIVE)).toBeNull();
});

test("what another version has already is no conflict", () => {
  const now = { ...FOUR, files: { "a.py": "same\n", "b.py": "mine" }, crlf: ["a.py"] };
  expect(without(now, { "a.py": "same\r\n", "b.py": "theirs" })).toEqual({ ...FOUR, files: { "b.py": "mine" } });
  expect(without(now, { "a.py": "same\r\n", "b.py": "mine" })).toBeNull();
  expect(without(now, { "a.py": null })).toEqual(now);
});

test("a version of the same number with other files is another version", () => {
  const now = { ...FOUR, files: { a: "b" } };
  expect([FOUR, FIVE, { base: 4, bundle: "another" }].map((live) => isBehind(now, live))).toEqual([false, true, true]);
});

test("lines are typed with one end and sent with the file's own", () => {
  expect(["a\r\nb\rc\n", "a"].map(withLf)).toEqual(["a\nb\nc\n", "a"]);
  expect(["a\r\nb\r\nc\n", "a\r\nb\nc\n", "a\n", "a"].map(hasCrlf)).toEqual([true, false, false, false]);
  const original = "one\r\ntwo\r\n";
  expect(withCrlf(withLf(original))).toBe(original);
  expect(typed(null, FOUR, "a.py", withLf(original), original)).toBeNull();
  const draft = typed(typed(null, FOUR, "a.py", "one\n2\n", original), FOUR, "b.py", "x\n", "y\n");
  expect(draft && sentFiles(draft)).toEqual({ "a.py": "one\r\n2\r\n", "b.py": "x\n" });
  expect(readDraft(JSON.stringify(draft))).toEqual(draft);
  expect(typed(draft, FOUR, "a.py", "one\ntwo\n", original)).toEqual({ ...FOUR, files: { "b.py": "x\n" } });
});

test("of what is kept and no draft nothing is taken", () => {
  expect(readDraft('{"base": 2, "bundle": "x", "files": {"a": "b", "c": 3}, "crlf": [4]}')).toEqual({ base: 2, bundle: "x", files: { a: "b" } });
  for (const text of [null, "", "{", "3", "null", '{"base": "2", "bundle": "x", "files": {}}', '{"base": 2, "bundle": "x", "files": {}}', '{"base": 2, "files": {"a": "b"}}']) expect(readDraft(text)).toBeNull();
});
