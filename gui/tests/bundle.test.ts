import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ALWAYS_LEFT, APPLICATION, newApplication, pathFault, placeOf, rootOf, takeFolder, zipFault } from "../src/model/bundle";
import { countOf, differences } from "../src/model/differences";

const dropped = (...paths: readonly string[]) => paths.map((path) => ({ path, size: 1 }));

test("a folder's files from its sand.yaml on, without what is no part of an application", () => {
  const taken = takeFolder(
    dropped("shop/sand.yaml", "shop/grains/b/handler.py", "shop/grains/a/handler.py", "shop/.git/config", "shop/grains/a/__pycache__/x.pyc", "shop/docs/a.md", "shop/notes.txt", "other/x"),
    "# mine\n*.txt\n/docs\n",
  );
  expect(taken.fault).toBeNull();
  expect(taken.files.map((one) => one.path)).toEqual(["grains/a/handler.py", "grains/b/handler.py", "sand.yaml"]);
  expect(taken.left).toEqual(["shop/.git/config", "shop/grains/a/__pycache__/x.pyc", "shop/docs/a.md", "shop/notes.txt", "other/x"]);
});

test("what is left out is what the platform leaves out", () => {
  const { leftOut, vectors } = JSON.parse(readFileSync(new URL("../../event/vectors/bundle/left-out.json", import.meta.url), "utf8"));
  expect([...ALWAYS_LEFT].sort()).toEqual([...leftOut].sort());
  for (const { path, leftOut } of vectors) expect(takeFolder(dropped("sand.yaml", path), "").left, path).toEqual(leftOut ? [path] : []);
});

test("the nearest sand.yaml is the application's", () => {
  expect(rootOf(["a/b/sand.yaml", "a/sand.yaml", "a/x"])).toBe("a/");
  expect([rootOf(["sand.yaml"]), rootOf(["a/notsand.yaml"])]).toEqual(["", null]);
  expect(takeFolder(dropped("a/b"), "").fault).toMatch(/no sand.yaml/);
});

test("paths that the platform would refuse are refused here", () => {
  for (const path of ["../a", "/a", "C:/a", "a\\b", "a//b", "a/./b", "a/ b", "a\u0001", "a/".repeat(33) + "a", "x".repeat(1025)]) expect(pathFault(path), path).not.toBeNull();
  expect([pathFault("grains/ä/handler.py"), pathFault("a b/<c>.txt")]).toEqual([null, null]);
  expect(takeFolder(dropped("sand.yaml", "a/../../b"), "").fault).toMatch(/leaves the folder/);
});

test("of single files the one that fits nowhere is named", () => {
  const fault = (...names: readonly string[]): string | null => takeFolder(dropped(...names), "").fault;
  expect(fault("a.py", "README.md")).toMatch(/^"README.md" is no grain/);
  expect(fault("a.py", "Shop.ZIP")).toMatch(/^"Shop.ZIP" is taken alone/);
  expect(fault("2.py")).toMatch(/^"2.py" makes no name/);
  expect([fault("shop/README.md"), fault("a.py", "shop/x")].map((one) => one?.slice(0, 22))).toEqual(["There is no sand.yaml ", "There is no sand.yaml "]);
});

test("a zip that is too large is not sent", () => {
  expect(zipFault({ path: "a.zip", size: 300 * 2 ** 20 })).toBe('"a.zip" has 300 MiB; 256 MiB are taken.');
  expect(zipFault({ path: "a.zip", size: 256 * 2 ** 20 })).toBeNull();
});

test("too much is said before it is sent", () => {
  expect(takeFolder([{ path: "sand.yaml", size: 300 * 2 ** 20 }], "").fault).toMatch(/256 MiB/);
  expect(takeFolder(dropped("sand.yaml", ...Array.from({ length: 20_000 }, (_, i) => `f${i}`)), "").fault).toMatch(/20001 files/);
});

test("a single file's place", () => {
  expect(["resize.py", "my grain.py", "main.asl.json", "1st.py", "x.txt", "2.py", ".py"].map(placeOf)).toEqual([
    "grains/resize/handler.py",
    "grains/my-grain/handler.py",
    "workflows/main.asl.json",
    "grains/st/handler.py",
    null,
    null,
    null,
  ]);
  expect(newApplication("shop", { a: "b" })).toEqual({ "sand.yaml": "name: shop\n", a: "b" });
  expect(["shop", "a-1", "Shop", "1a", ""].map((name) => APPLICATION.test(name))).toEqual([true, true, false, false, false]);
});

const shown = (before: string, after: string): string => differences(before, after).map((line) => `${{ same: " ", removed: "-", added: "+", gap: "@" }[line.kind]}${line.text}`).join("\n");

test("lines that go and come, with what is around them", () => {
  expect(shown("a\nb\nc\n", "a\nx\nc\ny\n")).toBe(" a\n-b\n+x\n c\n+y");
  expect(shown("", "a\nb")).toBe("+a\n+b");
  expect(shown("a\n", "")).toBe("-a");
  expect(shown("a", "a")).toBe("@1 unchanged");
  const long = Array.from({ length: 20 }, (_, i) => String(i));
  expect(shown(long.join("\n"), [...long.slice(0, 10), "new", ...long.slice(10)].join("\n"))).toBe("@7 unchanged\n 7\n 8\n 9\n+new\n 10\n 11\n 12\n@7 unchanged");
});

test("what was moved is as short as can be; what is too long to compare is shown whole", () => {
  const lines = differences("a\nb\nc\nd\ne", "b\nc\nd\ne\na");
  expect([countOf(lines, "added"), countOf(lines, "removed")]).toEqual([1, 1]);
  const other = (mark: string) => Array.from({ length: 3_000 }, (_, i) => `${mark}${i}`).join("\n");
  expect(countOf(differences(other("a"), other("b")), "added")).toBe(3_000);
});
