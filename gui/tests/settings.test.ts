import { describe, expect, it } from "vitest";
import { isOver, keyFault } from "../src/model/apiKey";
import { callerText, detailsText, operationText, outcomeText, sinceText } from "../src/model/audit";
import { formatRoute, parseRoute } from "../src/model/route";

describe("a key that is to be made", () => {
  it("has a name and may something", () => {
    expect(keyFault("ci", ["deploy"])).toBeNull();
    expect(keyFault("  ", ["deploy"])).toMatch(/what it is for/);
    expect(keyFault("x".repeat(101), ["deploy"])).toMatch(/100/);
    expect(keyFault("ci", [])).toMatch(/may nothing/);
  });
  it("is over at its time and not before", () => {
    expect([isOver(null, 5), isOver(6, 5), isOver(5, 5)]).toEqual([false, false, true]);
  });
});

describe("an entry of the audit log", () => {
  it("says what came of it", () => {
    expect(outcomeText({ status: 201 })).toBe("done");
    expect(outcomeText({ status: 404, problem: "unknown-version" })).toBe("refused: unknown-version");
    expect(outcomeText({ status: 503, problem: null })).toBe("refused: 503");
    expect([outcomeText({}), outcomeText({ status: null })]).toEqual(["not known", "not known"]);
  });
  it("is told in words", () => {
    expect(operationText("moveAlias")).toBe("move alias");
    expect([callerText("local"), callerText("operator"), callerText("key:3k9q0zr1ab7d")]).toEqual(["this machine", "the operator", "key 3k9q0zr1ab7d"]);
    expect([sinceText("2026-11-27", "ada"), sinceText("2026-11-27", "anybody")]).toEqual(["2026-11-27, by ada", "2026-11-27"]);
    expect(detailsText({ version: "2", alias: "live" })).toBe("alias live, version 2");
  });
});

describe("the address of the settings", () => {
  it("names its part and its filters", () => {
    const route = { page: "settings", part: "audit", tenant: "acme", operation: "deploy", application: "a&b", before: "" } as const;
    expect(parseRoute(formatRoute(route))).toEqual(route);
    expect(parseRoute("#/settings")).toMatchObject({ page: "settings", part: "keys", tenant: "" });
    expect(parseRoute("#/settings/members")).toMatchObject({ page: "settings", part: "members" });
    expect(parseRoute("#/settings/others").page).toBe("unknown");
  });
});
