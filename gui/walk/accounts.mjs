// The first account of a platform, made in the browser: it closes the platform, and who signs in goes on where he was.
// Usage: accounts.mjs SERVER, with a management, to which the application `gate` of tests/e2e/applications was deployed.
import assert from "node:assert/strict";
import { accessible, fitsPhone, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const PASSWORD = "walked through 4711";

await withPage(async (page) => {
  step("an open platform says so, and offers a first account");
  await page.goto(`${server}/ui/#/settings/account`);
  await page.getByText("Whoever is on this machine may do everything here.").waitFor();
  await accessible(page, "account-first");
  await page.getByLabel("Name").fill("ada");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.locator("dd", { hasText: "ada" }).waitFor();
  await accessible(page, "account");
  assert.equal((await fetch(`${server}/api/v1/applications`)).status, 401, "it is closed");

  step("who has signed in runs a workflow, and changes something");
  await page.goto(`${server}/ui/#/applications/gate/workflows/main`);
  await page.getByLabel("Input, as JSON").fill('{"name": "Ada"}');
  await page.keyboard.press("Control+Enter");
  await page.locator(".facts .badge", { hasText: "succeeded" }).waitFor();
  await page.goto(`${server}/ui/#/applications/gate`);
  await page.getByLabel("Name").fill("WALKED");
  await page.getByLabel("Value").fill("a value of some length");
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await page.getByText("WALKED is set").waitFor();

  step("a page that is loaded anew goes on, for the cookie is the browser's");
  await page.reload();
  await page.getByRole("rowheader", { name: "WALKED" }).waitFor();
  const kept = await page.evaluate(() => JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }]));
  assert.equal(kept.includes("sand_session"), false, "no script sees it");

  step("a session that ends in the middle of typing: he is asked over the page, and nothing typed is lost");
  await page.getByLabel("Name").fill("TYPED");
  await page.context().clearCookies();
  const asked = page.getByRole("dialog", { name: "Sign in" });
  await asked.waitFor();
  await asked.getByLabel("Name").fill("ada");
  await asked.getByLabel("Password").fill("not his password");
  await page.keyboard.press("Enter");
  await asked.getByRole("alert").filter({ hasText: /./ }).waitFor();
  await asked.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await asked.waitFor({ state: "hidden" });
  assert.equal(await page.getByLabel("Name").inputValue(), "TYPED");

  step("and the way out");
  await page.goto(`${server}/ui/#/settings/account`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("dialog", { name: "Sign in" }).waitFor();
  await fitsPhone(page, server, ["#/settings/account"]);
});
console.log("walked");
