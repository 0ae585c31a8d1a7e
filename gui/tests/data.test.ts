import { expect, test } from "vitest";
import { isJson, isOvertaken, leftToSave, readValueDraft, textOf, typedValue, unlike } from "../src/model/data";
import { formatRoute, parseRoute } from "../src/model/route";

test("a value is text, or what it is instead", () => {
  const of = (bytes: readonly number[], contentType = "application/json") => textOf({ contentType, size: bytes.length, bytes: new Uint8Array(bytes) });
  expect(of([0x7b, 0x7d])).toEqual({ text: "{}" });
  expect(of([0xef, 0xbb, 0xbf, 0x61])).toEqual({ text: "\ufeffa" });
  expect(of([0xff, 0xfe], "image/png")).toEqual({ instead: "2 B of image/png: no text." });
  expect(of(Array.from({ length: 300_000 }, () => 97), "")).toEqual({ instead: "293 KiB of no type: too long to be edited here." });
  expect(textOf({ contentType: "text/plain", size: 10 << 20, bytes: null })).toEqual({ instead: "10 MiB of text/plain: too long to be edited here." });
  expect([isJson("application/json; charset=utf-8"), isJson("text/plain")]).toEqual([true, false]);
});

test("any key has an address", () => {
  for (const key of ["a/b", "..", "naïve 😀", "a?b&c=%#"]) {
    const route = { page: "data", app: "shop", prefix: "a/", after: "", key } as const;
    expect(parseRoute(formatRoute(route))).toEqual(route);
  }
});

const stored = (version: string, text: string, contentType = "application/json") => ({ version, contentType, size: new TextEncoder().encode(text).length, bytes: new TextEncoder().encode(text) });
const ABSENT = stored("", "");

test("what is typed is kept with the version that it was typed into, whatever is stored meanwhile", () => {
  const draft = typedValue(null, stored('"1"', "old"), "mine");
  expect(draft).toEqual({ version: '"1"', contentType: "application/json", text: "mine" });
  expect(typedValue(draft, stored('"1"', "old"), "old"), "nothing differs any more").toBeNull();
  const more = typedValue(draft, stored('"2"', "theirs", "text/plain"), "mine, more");
  expect(more).toEqual({ version: '"1"', contentType: "application/json", text: "mine, more" });
  expect([isOvertaken(more, stored('"2"', "theirs")), isOvertaken(more, ABSENT), isOvertaken(more, stored('"1"', "old")), isOvertaken(null, ABSENT)]).toEqual([true, true, false, false]);
});

test("what somebody else stored just so is no conflict", () => {
  const draft = typedValue(null, stored('"1"', "old"), "mine");
  expect(unlike(draft, stored('"2"', "mine"))).toBeNull();
  expect(unlike(draft, stored('"2"', "mine", "text/plain"))).toBe(draft);
  expect(unlike(draft, stored('"2"', "theirs"))).toBe(draft);
  expect(unlike({ version: '"1"', contentType: "application/json", text: "" }, ABSENT), "nothing is there: an empty text is not").not.toBeNull();
});

test("what was typed while it was saved is left to save, over what was", () => {
  const draft = { version: '"1"', contentType: "application/json", text: "later" };
  expect(leftToSave(draft, "earlier", '"2"')).toEqual({ ...draft, version: '"2"' });
  expect(leftToSave(draft, "later", '"2"')).toBeNull();
});

test("a draft comes back after a reload, and nothing else does", () => {
  const draft = { version: '"1"', contentType: "text/plain", text: "x" };
  expect(readValueDraft(JSON.stringify(draft))).toEqual(draft);
  for (const text of [null, "", "{", "1", '{"version": 1, "contentType": "", "text": ""}', '{"text": "x"}']) expect(readValueDraft(text)).toBeNull();
});
