import { expect, test } from "vitest";
import { type Kept, type Shelf, keeping } from "../src/model/kept";

const ADA = { user: "ada", tenant: "red" };
const BO = { user: "bo", tenant: "red" };

class Box implements Shelf {
  readonly texts = new Map<string, string>();
  puts = 0;
  constructor(readonly room = 1_000) {}
  get length(): number {
    return this.texts.size;
  }
  key(index: number): string | null {
    return [...this.texts.keys()][index] ?? null;
  }
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
const never = (): void => {};
const at = (name: string): string => `kept ada red ${name}`;

function ofAda(box: Box, later: (flush: () => void) => void = never): Kept {
  const kept = keeping("kept ", () => box, later);
  kept.belongTo(ADA);
  return kept;
}

test("a value is the same wherever it is read, and is written once for many changes", () => {
  const box = new Box();
  const due: (() => void)[] = [];
  const kept = ofAda(box, (flush) => due.push(flush));
  let told = 0;
  const stop = kept.subscribe(() => (told += 1));
  for (const text of ["a", "ab", "abc"]) kept.set("x", text, asIs);
  expect([kept.get("x", orEmpty), told, box.puts, due.length]).toEqual(["abc", 3, 0, 1]);
  due[0]?.();
  expect([box.getItem(at("x")), box.puts]).toEqual(["abc", 1]);
  stop();
  kept.set("x", "", asIs);
  kept.flush();
  expect([box.texts.size, told]).toEqual([0, 3]);
  expect(ofAda(new Box()).get("y", orEmpty)).toBe("");
});

test("what has no room is said, goes on in the page, and what was there before does not come back", () => {
  const box = new Box(3);
  const kept = ofAda(box);
  kept.set("x", "abc", asIs);
  kept.flush();
  expect(kept.isKept("x")).toBe(true);
  kept.set("x", "abcd", asIs);
  kept.flush();
  expect([kept.isKept("x"), kept.get("x", orEmpty), box.getItem(at("x"))]).toEqual([false, "abcd", null]);
  expect([kept.hasRefused("x"), kept.hasRefused("y")]).toEqual([true, false]);
  kept.set("x", "ab", asIs);
  kept.flush();
  expect(kept.isKept("x")).toBe(true);
});

test("a browser without a shelf is no reason not to type", () => {
  const kept = keeping(
    "kept ",
    () => {
      throw new Error("SecurityError");
    },
    never,
  );
  kept.belongTo(ADA);
  kept.set("x", "a", asIs);
  kept.flush();
  expect([kept.get("x", orEmpty), kept.get("y", orEmpty), kept.isKept("x")]).toEqual(["a", "", false]);
});

test("what one user typed is not shown to another, and is off the shelf when he comes", () => {
  const box = new Box();
  const kept = ofAda(box);
  kept.set("draft.x", "ada's", asIs);
  kept.flush();
  kept.set("y", "ada's, not written yet", asIs);
  kept.belongTo(BO);
  expect([kept.get("draft.x", orEmpty), kept.get("y", orEmpty), kept.turns(), kept.hasKept("draft.")]).toEqual(["", "", 1, false]);
  kept.flush();
  expect([...box.texts]).toEqual([]);
  kept.set("draft.x", "bo's", asIs);
  kept.flush();
  expect([kept.get("draft.x", orEmpty), kept.hasKept("draft."), [...box.texts.keys()]]).toEqual(["bo's", true, ["kept bo red draft.x"]]);
});

test("the same user finds what he typed when he signs in again, on the page and after a reload", () => {
  const box = new Box();
  const kept = ofAda(box);
  kept.set("x", "typed", asIs);
  kept.belongTo({ ...ADA });
  expect([kept.get("x", orEmpty), kept.turns()]).toEqual(["typed", 0]);
  kept.flush();
  const anew = keeping("kept ", () => box, never);
  expect(anew.get("x", orEmpty)).toBe("");
  anew.belongTo(ADA);
  expect([anew.get("x", orEmpty), anew.turns()]).toEqual(["typed", 0]);
});

test("in another tenant it is hidden, and there again on the way back; also where nobody is known for a while", () => {
  for (const other of [{ ...ADA, tenant: "blue" }, { user: "", tenant: "" }]) {
    const kept = ofAda(new Box());
    kept.set("x", "typed", asIs);
    kept.belongTo(other);
    expect([kept.get("x", orEmpty), kept.turns()]).toEqual(["", 1]);
    kept.belongTo(ADA);
    expect(kept.get("x", orEmpty)).toBe("typed");
  }
});

test("who signs out leaves nothing behind, of any tenant, and nothing of other pages is touched", () => {
  const box = new Box();
  box.setItem("theme", "dark");
  const kept = ofAda(box);
  kept.set("x", "in red", asIs);
  kept.belongTo({ ...ADA, tenant: "blue" });
  kept.set("x", "in blue", asIs);
  kept.flush();
  expect(box.texts.size).toBe(3);
  kept.forget();
  kept.flush();
  expect([[...box.texts], kept.get("x", orEmpty)]).toEqual([[["theme", "dark"]], ""]);
});

test("what is typed before it is known who is here is his", () => {
  const box = new Box();
  box.setItem(at("y"), "of before");
  const kept = keeping("kept ", () => box, never);
  kept.set("x", "typed early", asIs);
  expect(kept.get("y", orEmpty)).toBe("");
  kept.flush();
  expect(box.getItem(at("x"))).toBe(null);
  kept.belongTo(ADA);
  expect([kept.get("x", orEmpty), kept.get("y", orEmpty), box.getItem(at("x"))]).toEqual(["typed early", "of before", "typed early"]);
});

test("a user's name is no beginning of another's", () => {
  const box = new Box();
  const kept = keeping("kept ", () => box, never);
  kept.belongTo({ user: "ada lovelace", tenant: "red" });
  kept.set("x", "typed", asIs);
  kept.flush();
  kept.belongTo({ user: "ada", tenant: "lovelace red" });
  expect([box.texts.size, kept.get("x", orEmpty)]).toEqual([0, ""]);
});
