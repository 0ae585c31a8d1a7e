import { expect, test } from "vitest";
import { type Pieces, filled } from "../src/model/filled";
import { PAGE_CHARACTERS, ValueReader, answer } from "../src/model/valueReader";

const encoded = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const ROOT = new Set(["$"]);

test("a JSON document of a million keys is a tree, whose last key is three rows deep", () => {
  const text = `{${Array.from({ length: 1_000_000 }, (_, i) => `"key${i}": ${i}`).join(", ")}}`;
  expect(text.length).toBeGreaterThan(19 << 20);
  const reader = new ValueReader(encoded(text));
  expect(reader.look).toMatchObject({ kind: "json" });
  const folded = reader.rows(ROOT);
  expect(folded).toHaveLength(101);
  const last = folded.at(-1);
  expect(last?.label).toBe("key990000 … key999999");
  const deeper = reader.rows(new Set(["$", last?.id ?? ""]));
  const all = reader.rows(new Set(["$", last?.id ?? "", deeper.at(-1)?.id ?? ""]));
  expect(all.at(-1)).toMatchObject({ label: "key999999", text: "999999", level: 4 });
});

test("text comes in pages that have all of it, and no page begins within a character", () => {
  const text = `${"x".repeat(PAGE_CHARACTERS - 1)}😀${"y".repeat(PAGE_CHARACTERS)}ä`;
  const reader = new ValueReader(encoded(text));
  expect(reader.look).toEqual({ kind: "text", pages: 3 });
  const pages = [0, 1, 2].map((page) => reader.page(page));
  expect(pages.join("")).toBe(text);
  expect(pages[0]?.endsWith("😀")).toBe(true);
  expect(reader.rows(ROOT)).toEqual([]);
});

test("what only begins like JSON is text, and what is no text is bytes", () => {
  expect(new ValueReader(encoded(`{"a": [${"1, ".repeat(2_000)}`)).look.kind).toBe("text");
  expect(new ValueReader(new Uint8Array([0xff, 0xfe])).look).toEqual({ kind: "bytes" });
  expect(new ValueReader(new Uint8Array()).look).toEqual({ kind: "text", pages: 1 });
});

test("each question is answered under its number", () => {
  const [reader, looked] = answer(null, { number: 1, bytes: encoded(`[${"1,".repeat(3_000)}1]`).buffer });
  expect(looked).toMatchObject({ number: 1, look: { kind: "json" } });
  expect(answer(reader, { number: 2, open: ["$"] })[1]).toMatchObject({ number: 2, rows: { length: 32 } });
  expect(answer(reader, { number: 3, page: 0 })[1]).toMatchObject({ number: 3, text: expect.stringMatching(/^\[1,1/) });
  expect(answer(null, { number: 4, page: 0 })[1]).toMatchObject({ number: 4, fault: expect.any(String) });
});

function pieces(...all: readonly string[]): Pieces & { cancelled: boolean } {
  let at = 0;
  return {
    cancelled: false,
    read: () => Promise.resolve(at < all.length ? { done: false, value: encoded(all[at++] ?? "") } : { done: true }),
    cancel() {
      this.cancelled = true;
      return Promise.resolve();
    },
  };
}

test("pieces are put together, however many there are of what was said", async () => {
  for (const said of [0, 3, 6, 60]) {
    const seen: number[] = [];
    const found = await filled(pieces("ab", "cde", "f"), said, 100, (there) => seen.push(there));
    expect(new TextDecoder().decode(found)).toBe("abcdef");
    expect(seen).toEqual([2, 5, 6]);
  }
  expect((await filled(pieces(), 0, 100, () => {})).byteLength).toBe(0);
});

test("over the most it is given up", async () => {
  const source = pieces("abc", "def");
  await expect(filled(source, 3, 5, () => {})).rejects.toThrow("more than 5 B");
  expect(source.cancelled).toBe(true);
});
