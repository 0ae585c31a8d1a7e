import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { canBeDirect, isOfManagement } from "../src/model/direct";

/** Each operation of the document: its path, and whether the grains alone can do it. */
function operations(): readonly { readonly path: string; readonly isAlone: boolean }[] {
  const found: { path: string; isAlone: boolean }[] = [];
  let path = "";
  for (const line of readFileSync(new URL("../../frontend/src/main/resources/openapi.yaml", import.meta.url), "utf8").split("\n")) {
    path = /^ {2}\/(\S+):$/.exec(line)?.[1] ?? path;
    if (/^ {6}x-sand:/.test(line)) found.push({ path, isAlone: line.includes("alone: true") });
  }
  return found;
}

test("what the grains alone have is asked of them, and all else can be the platform's own", () => {
  const all = operations().filter(({ path }) => path.startsWith("api/v1/"));
  expect(all.filter(({ isAlone }) => isAlone).length).toBeGreaterThan(20);
  for (const { path, isAlone } of all) {
    for (const query of ["", "?limit=5"]) expect([path, canBeDirect(path.replaceAll(/\{\w+\}/g, "sessions") + query)]).toEqual([path, !isAlone]);
  }
});

test("an invocation by its short address is nobody's but its grain's", () => {
  expect([canBeDirect("invoke/gate/main"), canBeDirect("openapi.yaml")]).toEqual([false, false]);
});

test("of a grain of the management that did not answer its problem tells", () => {
  expect(["https://sand.dev/problems/management-failed", "https://sand.dev/problems/unavailable"].map((type) => isOfManagement({ type }))).toEqual([true, false]);
  expect(isOfManagement(null)).toBe(false);
});
