import { expect, test } from "vitest";
import { type Here, isSame, may, maySame, ownerOf, whyNot } from "../src/model/who";

const ada: Here = { kind: "session", user: "ada", tenant: "red", scopes: ["read", "deploy"] };

test("the same user in the same tenant is the same, in another session and in another role too", () => {
  for (const now of [{ ...ada, id: "s2" }, { ...ada, scopes: ["read"] }]) expect(isSame({ ...ada, id: "s1" }, now)).toBe(true);
  expect(isSame(null, null)).toBe(true);
});

test("who has another role may do something else, and in another order it is the same", () => {
  expect([["deploy", "read"], ["read"], ["read", "deploy", "admin"]].map((scopes) => maySame(ada, { scopes }))).toEqual([true, false, false]);
  expect(maySame(null, null)).toBe(true);
});

test("two keys are two, though they may do the same", () => {
  const key: Here = { kind: "key", id: "k1", user: "ada", tenant: "red", scopes: ["read"] };
  expect([isSame(key, { ...key }), isSame(key, { ...key, id: "k2" })]).toEqual([true, false]);
});

test("whoever else comes is another one", () => {
  for (const other of [{ ...ada, user: "bo" }, { ...ada, tenant: "blue" }, { ...ada, kind: "key" }, null, undefined]) {
    expect(isSame(ada, other)).toBe(false);
    expect(isSame(other, ada)).toBe(false);
  }
  expect(isSame(undefined, undefined)).toBe(false);
});

test("what is typed belongs to a user in a tenant, or to a key, and without accounts to nobody", () => {
  expect(ownerOf({ ...ada, id: "session-1" })).toEqual({ user: "ada", tenant: "red" });
  expect(ownerOf({ kind: "key", user: null, tenant: "red", id: "k1" })).toEqual({ user: "key k1", tenant: "red" });
  expect(ownerOf({ kind: "operator", user: null, tenant: "default" })).toEqual({ user: "operator ", tenant: "default" });
  for (const nobody of [null, { kind: "local", user: null, tenant: "default" }]) expect(ownerOf(nobody)).toEqual({ user: "", tenant: "" });
});

test("one may what his scopes say, without accounts everything, and nothing until it is known who he is", () => {
  expect([may("deploy", ada), may("admin", ada), may("operator", null), may("read", undefined)]).toEqual([true, false, true, false]);
});

test("who lacks a scope is told which, and nobody else is told anything", () => {
  expect(whyNot("invoke", { scopes: ["read"] })).toBe("This needs the scope invoke; you have read.");
  expect(whyNot("deploy", { scopes: [] })).toBe("This needs the scope deploy; you have none.");
  expect([whyNot("deploy", ada), whyNot(null, { scopes: [] }), whyNot("admin", null), whyNot("admin", undefined)]).toEqual([null, null, null, null]);
});
