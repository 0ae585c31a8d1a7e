import { describe, expect, it } from "vitest";
import { limitOf } from "../src/model/quota";

describe("a limit", () => {
  it("is a number, or none where nothing stands", () => {
    expect(limitOf("applications", " 20 ")).toBe(20);
    expect(limitOf("applications", "0")).toBe(0);
    expect(limitOf("applications", " ")).toBeNull();
  });
  it("is no other text, and has an end", () => {
    for (const text of ["-1", "1.5", "1e3", "many", "10001", "99999999"]) expect(limitOf("applications", text)).toBeUndefined();
    expect(limitOf("requestsPerSecond", "10001")).toBe(10_001);
  });
});
