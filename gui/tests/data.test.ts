import { expect, test } from "vitest";
import { isJson, textOf } from "../src/model/data";
import { formatRoute, parseRoute } from "../src/model/route";

test("a value is text, or what it is instead", () => {
  const of = (bytes: readonly number[], contentType = "application/json") => textOf({ contentType, bytes: new Uint8Array(bytes) });
  expect(of([0x7b, 0x7d])).toEqual({ text: "{}" });
  expect(of([0xef, 0xbb, 0xbf, 0x61])).toEqual({ text: "\ufeffa" });
  expect(of([0xff, 0xfe], "image/png")).toEqual({ instead: "2 B of image/png: no text." });
  expect(of(Array.from({ length: 300_000 }, () => 97), "")).toEqual({ instead: "293 KiB of no type: too long to be edited here." });
  expect([isJson("application/json; charset=utf-8"), isJson("text/plain")]).toEqual([true, false]);
});

test("any key has an address", () => {
  for (const key of ["a/b", "..", "naïve 😀", "a?b&c=%#"]) {
    const route = { page: "data", app: "shop", prefix: "a/", after: "", key } as const;
    expect(parseRoute(formatRoute(route))).toEqual(route);
  }
});
