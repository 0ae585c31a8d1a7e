import { expect, test } from "vitest";
import { type Here, isSame } from "../src/model/who";

const ada: Here = { kind: "session", user: "ada", tenant: "red", scopes: ["read", "deploy"] };

test("the same user in the same tenant, with the same rights, is the same", () => {
  expect(isSame(ada, { ...ada, scopes: ["deploy", "read"] })).toBe(true);
  expect(isSame(null, null)).toBe(true);
});

test("whoever else comes is another one", () => {
  for (const other of [{ ...ada, user: "bo" }, { ...ada, tenant: "blue" }, { ...ada, kind: "key" }, { ...ada, scopes: ["read"] }, null, undefined]) {
    expect(isSame(ada, other)).toBe(false);
    expect(isSame(other, ada)).toBe(false);
  }
  expect(isSame(undefined, undefined)).toBe(false);
});
