import { expect, it, test } from "vitest";
import { nameHere, shownName } from "../src/model/tenant";

it("finds an application under the name that the platform gives it", () => {
  expect(nameHere(["web-site", "shop"], "shop")).toBe("shop");
  expect(nameHere(["red--web-site"], "web-site")).toBe("red--web-site");
  expect(nameHere(["red--web-site", "my-site"], "site")).toBeUndefined();
});

const ada = { tenant: "acme", scopes: ["read", "deploy"] };
const operator = { tenant: "acme", scopes: ["read", "operator"] };

test("within a tenant its applications have their own names, and all others whole ones", () => {
  expect(["acme--shop", "acme--a-b", "other--shop", "shop", "acme-shop"].map((name) => shownName(name, ada))).toEqual(["shop", "a-b", "other--shop", "shop", "acme-shop"]);
  expect(shownName("shop", { ...ada, tenant: "default" })).toBe("shop");
});

test("who sees to all tenants, or is not known, sees whole names", () => {
  for (const here of [operator, null, undefined]) expect(shownName("acme--shop", here)).toBe("acme--shop");
});
