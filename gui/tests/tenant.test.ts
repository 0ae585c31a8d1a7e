import { expect, it } from "vitest";
import { nameHere } from "../src/model/tenant";

it("finds an application under the name that the platform gives it", () => {
  expect(nameHere(["web-site", "shop"], "shop")).toBe("shop");
  expect(nameHere(["red--web-site"], "web-site")).toBe("red--web-site");
  expect(nameHere(["red--web-site", "my-site"], "site")).toBeUndefined();
});
