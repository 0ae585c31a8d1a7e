import { expect, test } from "vitest";
import { MOST_BYTES, invokeWords, isOvertaken, leftOf, nameFault, optionOf, readEventDraft, sizeFault, typedEvent } from "../src/model/savedEvent";

const KEPT = { tag: '"3"', text: '{\r\n  "n": 1}' };
const EVENTS = [
  { name: "late", saved: true, file: null },
  { name: "filed", saved: false, file: "tests/events/echo/filed.json" },
];

test("a draft is what differs from what is kept, and remembers what it was typed into", () => {
  const one = typedEvent(null, KEPT, "2");
  expect(one).toEqual({ tag: '"3"', text: "2" });
  expect(typedEvent(one, { tag: '"4"', text: "9" }, "23")).toEqual({ tag: '"3"', text: "23" });
  expect(typedEvent(one, KEPT, '{\n  "n": 1}')).toBeNull();
  expect(typedEvent({ tag: null, text: "2" }, KEPT, "3")).toEqual({ tag: null, text: "3" });
});

test("what was typed while it was saved is left, over the version that was made", () => {
  expect(leftOf({ tag: '"3"', text: "2" }, "2", '"4"')).toBeNull();
  expect(leftOf({ tag: '"3"', text: "23" }, "2", '"4"')).toEqual({ tag: '"4"', text: "23" });
  expect(leftOf(null, "2", '"4"')).toBeNull();
});

test("who typed is told of what somebody else saved or deleted, and who did not is not", () => {
  expect([isOvertaken({ tag: '"2"', text: "x" }, KEPT), isOvertaken({ tag: '"2"', text: "x" }, { tag: null, text: "" })]).toEqual([true, true]);
  expect([isOvertaken({ tag: '"3"', text: "x" }, KEPT), isOvertaken(null, KEPT)]).toEqual([false, false]);
});

test("a draft comes back as it was kept, and anything else is none", () => {
  const draft = { tag: null, text: "{" };
  expect(readEventDraft(JSON.stringify(draft))).toEqual(draft);
  for (const none of [null, "", "{", "7", "null", '{"text": "x"}', '{"tag": 3, "text": "x"}', '{"tag": null, "text": 1}']) expect(readEventDraft(none), String(none)).toBeNull();
});

test("names are those of files on any system, and one's own", () => {
  expect(["", "late", "new", "_a.b-c", "7", "x".repeat(64)].map((name) => nameFault(name, "late", EVENTS))).toEqual([null, null, null, null, null, null]);
  for (const name of ["a b", ".a", "-a", "ä", "a/b", "a\\b", "x".repeat(65)]) expect(nameFault(name, "", EVENTS), name).toMatch(/letters, digits/);
  expect(nameFault("late", "", EVENTS)).toMatch(/a late already/);
  expect(nameFault("filed", "late", EVENTS)).toMatch(/a filed already/);
});

test("an event is not longer than is kept, in bytes", () => {
  expect(sizeFault("x".repeat(MOST_BYTES))).toBeNull();
  expect(sizeFault("ä".repeat(MOST_BYTES / 2 + 1))).toBe("It has 262,146 bytes, and 262,144 are kept at most.");
});

test("a list says which are files, and of which version", () => {
  expect(EVENTS.map((one) => optionOf(one, 4))).toEqual(["late", "filed (file of version 4)"]);
  expect(optionOf({ name: "both", saved: true, file: "tests/events/echo/both.json" }, 4)).toBe("both");
});

test("the command names an event that is as it is kept, and has the text of any other input", () => {
  expect(invokeWords("shop/order", "{}", "late")).toEqual(["invoke", "shop/order", "--async", "--event", "late"]);
  expect(invokeWords("shop/order", "{}", "")).toEqual(["invoke", "shop/order", "--async", "--data", "{}"]);
});
