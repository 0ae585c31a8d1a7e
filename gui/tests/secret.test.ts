import { expect, test } from "vitest";
import { nameFault, valueFault } from "../src/model/secret";

test("names are those that sand.yaml takes", () => {
  expect(["PAYMENT_KEY", "_a.b-c", "x".repeat(128), ""].map(nameFault)).toEqual([null, null, null, null]);
  for (const name of ["1a", "a b", "ä", "-a", "x".repeat(129), "a/b"]) expect(nameFault(name), name).not.toBeNull();
});

test("a value is long enough to be masked, not longer than is kept, and in nothing that is said", () => {
  expect([valueFault(""), valueFault("12345678"), valueFault("a\nb".repeat(8)), valueFault("x".repeat(65_536))]).toEqual([null, null, null, null]);
  expect(valueFault("  seven77  ")).toMatch(/At least 8/);
  expect(valueFault("  seven77  ")).not.toContain("seven");
  expect(valueFault("ä".repeat(40_000))).toMatch(/64 KiB/);
});
