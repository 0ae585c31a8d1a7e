import { expect, test } from "vitest";
import { brokenGrains, servedBy } from "../src/model/management";

const grains = { versions: { ready: true }, logs: { ready: false, failure: "ValueError: x", executionId: "01", sinceMs: 5 }, audit: { ready: false, failure: "it ended" } };

test("what does the platform's operations", () => {
  expect(servedBy({ enabled: true, version: 3, grains })).toBe("3 grains of version 3");
  expect(servedBy({ enabled: true, version: null, trouble: "no sandbox" })).toBe("the platform itself, as far as it can");
  expect(servedBy({ enabled: false })).toBe("the platform itself: it has no management");
});

test("grains that failed in their newest call, and nothing of the others", () => {
  expect(brokenGrains({ enabled: true, grains })).toEqual([
    { grain: "audit", failure: "it ended", executionId: null, sinceMs: null },
    { grain: "logs", failure: "ValueError: x", executionId: "01", sinceMs: 5 },
  ]);
  expect(brokenGrains({ enabled: false })).toEqual([]);
});
