// A platform that asks for a key, as somebody sees it who has it: it is asked for once, over the page that was opened.
// Usage: key.mjs SERVER, with the key in SAND_KEY. Run by tests/e2e/test_gui.py.
import assert from "node:assert/strict";
import { accessible, withPage } from "./browser.mjs";

const server = process.argv[2];
const key = process.env.SAND_KEY;
const step = (text) => console.log(text);

await withPage(async (page) => {
  step("a page is opened, and the key is asked for");
  await page.goto(`${server}/ui/#/applications/gate/workflows/main`);
  await page.getByRole("dialog", { name: "Sign in" }).waitFor();
  await accessible(page, "sign-in");
  await page.getByRole("button", { name: "Use a key instead" }).click();
  const asked = page.getByRole("dialog", { name: "A key is needed" });
  await asked.waitFor();
  await asked.getByRole("textbox", { name: "Key" }).focus();
  await accessible(page, "key");
  await page.keyboard.press("Escape");
  assert.equal(await asked.isVisible(), true, "there is nothing to do without it");

  step("another one is told as such");
  await page.keyboard.type("no-key-of-this-platform");
  await page.keyboard.press("Enter");
  await asked.getByText("That is no key of this platform").waitFor();

  step("with the right one the page is there, and a run of it is live");
  await page.getByRole("textbox", { name: "Key" }).fill(key);
  await page.keyboard.press("Enter");
  await asked.waitFor({ state: "hidden" });
  await page.locator('[data-state="Pause"]').waitFor();
  await page.getByLabel("Input, as JSON").fill('{"name": "Ada"}');
  await page.keyboard.press("Control+Enter");
  await page.locator("dd", { hasText: "live" }).waitFor();
  await page.locator(".facts .badge", { hasText: "succeeded" }).waitFor();

  step("its output comes as a file");
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download it" }).click()]);
  assert.match(file.suggestedFilename(), /-output(.json)?$/);

  step("commands name the key's variable, and the key is nowhere to be seen");
  for (const command of await page.locator(".curl").allTextContents()) assert.match(command, /"Authorization: Bearer \$SAND_KEY"/);
  assert.equal((await page.content()).includes(key), false);
  const kept = await page.evaluate(() => JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }]));
  assert.equal(kept.includes(key), false, "it is in this page's memory alone");
});
console.log("walked");
