// A browser for the walk: the system's Chromium, with what it does behind everybody's back switched off.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** What axe tries on request alone: who speaks what he sees on a button presses it. */
const ALSO = { "label-content-name-mismatch": { enabled: true } };

export async function withPage(walk) {
  const executablePath = process.env.SAND_CHROMIUM ?? "/usr/bin/chromium";
  const profile = mkdtempSync(join(tmpdir(), "sand-chromium-"));
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: FLAGS, headless: true, viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const faults = [];
    page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
    page.on("console", (message) => {
      // A refusal of the platform is what some pages show.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) faults.push(`console: ${message.text()}`);
    });
    await walk(page);
    if (faults.length > 0) throw new Error(`the page had faults:\n${faults.join("\n")}`);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** What a page shows as a command, for a shell of this machine. @param name of what is shown so; "": the page's own */
export async function shownCommand(page, name) {
  const shown = page.locator("details.curl").filter({ has: page.locator("summary", { hasText: new RegExp(`^${name && `${name} `}as curl, as command$`) }) });
  const text = await shown.locator(".command pre").nth(1).textContent();
  assert.match(text, /^\.\/sand /);
  return `${process.env.SAND_COMMAND} ${text.slice("./sand ".length)}`;
}

/** What that does: its standard output. */
export async function commanded(page, name) {
  return execFileSync("sh", ["-c", await shownCommand(page, name)], { encoding: "utf8" });
}

/** No violation of WCAG 2.2 AA nor of what axe holds for good practice, in both themes. */
export async function accessible(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // By the protocol, which the page's own policy does not bind.
    await page.evaluate(AXE);
    const found = await page.evaluate(({ tags, rules }) => window.axe.run(document, { runOnly: tags, rules }), { tags: TAGS, rules: ALSO });
    const told = found.violations.map((one) => `${one.id}: ${one.help}\n${one.nodes.map((node) => `  ${node.html}\n  ${node.failureSummary}`).join("\n")}`);
    if (told.length > 0) throw new Error(`${name} in ${colorScheme}: ${told.join("\n")}`);
    if (process.env.SAND_SCREENSHOTS) await page.screenshot({ path: join(process.env.SAND_SCREENSHOTS, `${name}-${colorScheme}.png`), fullPage: true });
  }
}

/** Who presses a button by keyboard is somewhere afterwards, also when that went away. @param where what it says there */
export async function landed(page, where) {
  await page.waitForFunction((wanted) => new RegExp(wanted).test(document.activeElement?.textContent ?? "") && document.activeElement !== document.body, where.source);
  assert.match(await page.evaluate(() => document.activeElement.tagName), /^(H1|H2|SPAN|MAIN)$/);
}

/** Of a thing that is gone a page says that alone. @param title of the problem */
export async function goneAlone(page, title) {
  const said = page.locator("main").getByRole("alert");
  await said.filter({ has: page.locator("strong", { hasText: title }) }).first().waitFor();
  // What was asked for beside it is answered by then, or not shown.
  await page.waitForFunction(() => document.querySelectorAll("main [role=alert]").length === 1
    && !document.querySelector("main").querySelector("section, form, table, .facts, .lines"));
}

/** A key, or a name, without a place where a line would be broken. */
export const LONG_WORD = "Donaudampfschiff".repeat(8);

/** On a phone no page is wider than the screen. */
export async function fitsPhone(page, server, addresses) {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const address of addresses) {
    await page.goto(`${server}/ui/${address}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("load");
    // Also where only what is behind its # is another one: it is drawn by then.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await page.waitForFunction(() => !document.querySelector("main").innerText.includes("Loading…"));
    const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    if (wide > screen) throw new Error(`${address} is ${wide} wide on a screen of ${screen}`);
  }
}
