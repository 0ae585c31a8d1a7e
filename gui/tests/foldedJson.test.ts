import { expect, test } from "vitest";
import { FoldedJson, isFolded } from "../src/model/foldedJson";

const shown = (text: string, ...open: readonly string[]): readonly string[] =>
  new FoldedJson(text).rows(new Set(open)).map((row) => `${"  ".repeat(row.level - 1)}${row.isOpen === null ? "" : row.isOpen ? "- " : "+ "}${row.label}${row.text && ` ${row.text}`}`);

test("what is open is shown, as it was written", () => {
  const text = ` {"big": 12345678901234567890, "a\\"\\\\": [1, {"x": []}, "]}\\"", true], "none": {}, "a\\"\\\\": null}\n`;
  expect(shown(text)).toEqual(["+  { 4 keys }"]);
  expect(shown(text, "$", "$/1", "$/1/1")).toEqual(["-  { 4 keys }", "  big 12345678901234567890", '  - a"\\', "    0 1", "    - 1", "      x []", '    2 "]}\\""', "    3 true", "  none {}", '  a"\\ null']);
});

test("a short container is shown while it is closed, a long one by its size, a long text by its beginning", () => {
  const long = JSON.stringify({ few: [1, 2], many: Array.from({ length: 40 }, (_, i) => i), text: "x".repeat(3_000) });
  const rows = new FoldedJson(long).rows(new Set(["$"]));
  expect(rows.map((row) => row.text.slice(0, 12))).toEqual(["{ 3 keys }", "[1,2]", "[ 40 ]", '"xxxxxxxxxxx']);
  expect(rows[3]?.text).toMatch(/… \(3,002 characters\)$/);
});

test("many stand in stretches, which open in turn", () => {
  const text = JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`k${i}`, i])));
  const json = new FoldedJson(text);
  const top = json.rows(new Set(["$"]));
  expect(top.slice(1).map((row) => row.label)).toEqual(["k0 … k9999", "k10000 … k10000"]);
  const open = json.rows(new Set(["$", "$/0-9999", "$/0-9999".replace("0-9999", "100-199")]));
  expect(open).toHaveLength(1 + 2 + 100 + 100);
  expect(open.find((row) => row.label === "k150")).toMatchObject({ level: 4, text: "150", position: 51, siblings: 100, id: "$/150" });
});

test("a million keys are no strain", () => {
  const text = `{${Array.from({ length: 1_000_000 }, (_, i) => `"key${i}": ${i}`).join(", ")}}`;
  const began = process.cpuUsage().user;
  expect(isFolded(text)).toBe(true);
  const rows = new FoldedJson(text).rows(new Set(["$"]));
  expect(rows).toHaveLength(101);
  expect(rows.at(-1)?.label).toBe("key990000 … key999999");
  // In microseconds of a processor: other programs may keep this one waiting.
  expect(process.cpuUsage().user - began).toBeLessThan(3_000_000);
}, 60_000);

test("what is short, no container or no JSON is not folded, and nothing hangs", () => {
  const long = " ".repeat(3_000);
  expect([`{"a": 1}`, `"${"x".repeat(5_000)}"`, `{"a": ${long}`, `{"a": nothing${long}}`, long].map(isFolded)).toEqual([false, false, false, false, false]);
  expect(isFolded(`[1${long}]`)).toBe(true);
  const cut = `[${"[1, ".repeat(400_000)}`;
  expect(isFolded(cut)).toBe(false);
  for (const broken of ['{"a" 1}', "{a: 1}", '{"a": }', "[1, 2", '["', "{"]) expect(new FoldedJson(broken).rows(new Set(["$"])).length).toBeGreaterThan(0);
});

test("brackets in brackets", () => {
  const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
  expect(shown(deep, "$", "$/0")).toHaveLength(3);
});
