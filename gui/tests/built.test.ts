// What the build has made: `npm run build` comes first.
import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";

const DIST = new URL("../dist/", import.meta.url);
const MOST_BYTES = 250 * 1000;
const page = readFileSync(new URL("index.html", DIST), "utf8");
const first = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map((match) => match[1] ?? "");

test("what the page loads first is at most 250 kB, compressed", () => {
  expect(first.length).toBeGreaterThan(1);
  const total = first.reduce((sum, name) => sum + readFileSync(new URL(`${name}.gz`, DIST)).length, 0);
  expect(total).toBeLessThanOrEqual(MOST_BYTES);
});

test("what draws graphs comes later", () => {
  const scripts = readdirSync(new URL("assets/", DIST)).filter((name) => name.endsWith(".js"));
  expect(scripts.some((name) => name.startsWith("elk-worker") && !first.includes(`assets/${name}`))).toBe(true);
  for (const name of first.filter((one) => one.endsWith(".js"))) {
    expect(readFileSync(new URL(name, DIST), "utf8")).not.toContain("react-flow__viewport");
    expect(readFileSync(new URL(name, DIST), "utf8")).not.toContain("u-cursor-pt");
  }
});

test("the page has nothing inline and nothing of another server's", () => {
  expect(page).not.toMatch(/<style|style=|\son[a-z]+=|data:|https?:/);
  expect(page.match(/<script[^>]*>/g)).toEqual([expect.stringContaining('src="./assets/')]);
});
