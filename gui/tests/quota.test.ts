import { describe, expect, it } from "vitest";
import { limitOf, typedAs, wantedOf } from "../src/model/quota";

describe("a limit", () => {
  it("is a number, or none where nothing stands", () => {
    expect(limitOf("applications", " 20 ")).toBe(20);
    expect(limitOf("applications", "0")).toBe(0);
    expect(limitOf("applications", " ")).toBeNull();
  });
  it("is no other text, and has an end", () => {
    for (const text of ["-1", "1.5", "1e3", "many", "10001", "99999999", "5 MiB"]) expect(limitOf("applications", text)).toBeUndefined();
    expect(limitOf("requestsPerSecond", "10001")).toBe(10_001);
  });
  it("of bytes may have a unit", () => {
    expect(limitOf("memoryBytes", "512MiB")).toBe(512 * 1024 ** 2);
    expect(limitOf("storedBytes", "3 GiB")).toBe(3 * 1024 ** 3);
    expect(limitOf("storedBytes", "1024 TiB")).toBe(2 ** 50);
    for (const text of ["1025 TiB", "5 MB", "5 gib", "GiB"]) expect(limitOf("storedBytes", text)).toBeUndefined();
  });
  it("is sent when it is wanted otherwise, and no other one with it: another operator may have set that meanwhile", () => {
    const set = { applications: 3, requestsPerSecond: null, instances: 4, memoryBytes: 1024 ** 3, storedBytes: null };
    expect(wantedOf(set, {})).toEqual({ changes: {}, wrong: null });
    expect(wantedOf(set, { applications: "3", instances: "", memoryBytes: "1 GiB", storedBytes: "2 GiB" })).toEqual({ changes: { instances: null, storedBytes: 2 * 1024 ** 3 }, wrong: null });
    expect(wantedOf(set, { applications: "5", instances: "many", storedBytes: "5 MB" })).toEqual({ changes: { applications: 5 }, wrong: "instances" });
  });
  it("is shown as it would be typed", () => {
    for (const [bytes, text] of [[0, "0 B"], [1000, "1000 B"], [1536 * 1024, "1536 KiB"], [3 * 1024 ** 3, "3 GiB"], [2 ** 50, "1024 TiB"]] as const) {
      expect(typedAs("storedBytes", bytes)).toBe(text);
      expect(limitOf("storedBytes", text)).toBe(bytes);
    }
    expect(typedAs("instances", 2048)).toBe("2048");
    expect(typedAs("instances", null)).toBe("");
  });
});
