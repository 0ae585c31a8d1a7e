import { expect, test } from "vitest";
import { type Shelf, keeping } from "../src/model/kept";

class Box implements Shelf {
  readonly texts = new Map<string, string>();
  puts = 0;
  constructor(readonly room = 1_000) {}
  getItem(name: string): string | null {
    return this.texts.get(name) ?? null;
  }
  setItem(name: string, text: string): void {
    this.puts += 1;
    if (text.length > this.room) throw new Error("QuotaExceededError");
    this.texts.set(name, text);
  }
  removeItem(name: string): void {
    this.texts.delete(name);
  }
}

const asIs = (text: string): string | null => text || null;
const orEmpty = (text: string | null): string => text ?? "";

test("a value is the same wherever it is read, and is written once for many changes", () => {
  const box = new Box();
  const due: (() => void)[] = [];
  const kept = keeping(() => box, (flush) => due.push(flush));
  let told = 0;
  const stop = kept.subscribe(() => (told += 1));
  for (const text of ["a", "ab", "abc"]) kept.set("x", text, asIs);
  expect([kept.get("x", orEmpty), told, box.puts, due.length]).toEqual(["abc", 3, 0, 1]);
  due[0]?.();
  expect([box.getItem("x"), box.puts]).toEqual(["abc", 1]);
  stop();
  kept.set("x", "", asIs);
  kept.flush();
  expect([box.texts.size, told]).toEqual([0, 3]);
  expect(keeping(() => new Box(), () => {}).get("y", orEmpty)).toBe("");
});

test("what has no room is said, goes on in the page, and what was there before does not come back", () => {
  const box = new Box(3);
  const kept = keeping(() => box, () => {});
  kept.set("x", "abc", asIs);
  kept.flush();
  expect(kept.isKept("x")).toBe(true);
  kept.set("x", "abcd", asIs);
  kept.flush();
  expect([kept.isKept("x"), kept.get("x", orEmpty), box.getItem("x")]).toEqual([false, "abcd", null]);
  expect([kept.hasRefused("x"), kept.hasRefused("y")]).toEqual([true, false]);
  kept.set("x", "ab", asIs);
  kept.flush();
  expect(kept.isKept("x")).toBe(true);
});

test("a browser without a shelf is no reason not to type", () => {
  const kept = keeping(
    () => {
      throw new Error("SecurityError");
    },
    () => {},
  );
  kept.set("x", "a", asIs);
  kept.flush();
  expect([kept.get("x", orEmpty), kept.get("y", orEmpty), kept.isKept("x")]).toEqual(["a", "", false]);
});
