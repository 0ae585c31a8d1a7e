import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { MAY, SCOPES, isOver, keyFault } from "../src/model/apiKey";
import { callerText, detailsText, operationText, outcomeText, sinceText } from "../src/model/audit";
import { formatRoute, parseRoute } from "../src/model/route";
import { firstPart, partsOf, whyNotPart } from "../src/model/settings";

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

/** Of each operation of the document that a key may do: its scope. */
function scopes(): ReadonlyMap<string, string> {
  const document = readFileSync(new URL("../../frontend/src/main/resources/openapi.yaml", import.meta.url), "utf8");
  return new Map([...document.matchAll(/operationId: (\w+)\n\s+x-sand: \{scope: (\w+)/g)].map(([, operation = "", scope = ""]) => [operation, scope]));
}

describe("what a scope is for", () => {
  it.each([
    ["grains and workflows", "invokeApplication"],
    ["in processes", "invokeInProcess"],
    ["cancel", "cancelInvocation"],
    ["redrive", "redriveInvocation"],
    ["send messages", "sendMessage"],
    ["dead letters", "replayDeadLetter"],
    ["deploy versions", "deploy"],
    ["aliases", "moveAlias"],
    ["secrets", "setSecret"],
    ["triggers", "armTrigger"],
    ["set secrets, triggers, data", "putData"],
    ["saved events", "saveEvent"],
    ["kill", "killProcess"],
    ["migrate", "migrateProcess"],
    ["see applications", "describeApplication"],
    ["files", "readFile"],
    ["see applications with their files, executions", "describeInvocation"],
    ["logs", "applicationLogs"],
    ["queues", "listQueues"],
    ["quotas", "getQuotas"],
    ["keys", "createKey"],
    ["members", "putMember"],
    ["invitations", "inviteMember"],
    ["audit log", "listAudit"],
    ["delete applications", "deleteApplication"],
  ])("%s: as %s", (words, operation) => {
    expect(SCOPES.filter((scope) => MAY[scope].includes(words))).toEqual([scopes().get(operation)]);
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

describe("the parts of the settings", () => {
  const [viewer, owner] = [{ scopes: ["read"] }, { scopes: ["invoke", "deploy", "read", "admin"] }];
  const all = ["keys", "audit", "members", "quotas", "account"];
  it("are offered to who may read them, and open where he has something to do", () => {
    expect([viewer, { scopes: ["invoke"] }, owner, null, undefined].map((here) => [firstPart(here), ...partsOf(here).map(({ part }) => part)])).toEqual([
      ["account", "quotas", "account"],
      ["account", "account"],
      ["keys", ...all],
      ["keys", ...all],
      ["keys", ...all],
    ]);
  });
  it("say whose they are to who comes by an address", () => {
    expect(whyNotPart("members", viewer)).toBe("This is for owners of the tenant. This needs the scope admin; you have read.");
    expect(whyNotPart("quotas", { scopes: ["invoke"] })).toBe("This needs the scope read; you have invoke.");
    expect([whyNotPart("account", viewer), whyNotPart("quotas", viewer), whyNotPart("keys", owner), whyNotPart("keys", null), whyNotPart("keys", undefined)]).toEqual([null, null, null, null, null]);
  });
});
