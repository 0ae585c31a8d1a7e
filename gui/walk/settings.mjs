// API keys: made by keyboard, shown once, revoked; and the audit log that tells of it. Usage: settings.mjs SERVER, with a management.
import assert from "node:assert/strict";
import { accessible, fitsPhone, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);

await withPage(async (page) => {
  step("the settings are a page of their own, with keys first");
  await page.goto(`${server}/ui/#/`);
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByText("There is none.").waitFor();
  const make = page.getByRole("button", { name: "Make it" });
  assert.equal(await make.isDisabled(), true, "a key has a name");

  step("one is made by keyboard, and shown this once");
  await page.getByLabel("What it is for").fill("ci <b>");
  await page.getByLabel("Good for").selectOption("a day");
  await page.getByLabel("read:").press("Space");
  await make.press("Enter");
  const shown = page.locator(".made code");
  await shown.waitFor();
  const key = await shown.textContent();
  assert.match(key, /^sand_[0-9A-Za-z]{61}$/);
  const row = page.getByRole("row", { name: /^ci <b>/ });
  await row.getByText("invoke, read").waitFor();
  await row.getByText("never").waitFor();
  await accessible(page, "settings-keys");
  const kept = await page.evaluate(() => JSON.stringify([document.cookie, location.href, { ...localStorage }, { ...sessionStorage }]));
  assert.equal(kept.includes(key), false, "no storage has it");

  step("elsewhere and back, and it is not there any more");
  await page.getByRole("link", { name: "Hosts" }).click();
  await page.getByRole("heading", { name: "Hosts" }).waitFor();
  await page.getByRole("link", { name: "Settings" }).click();
  await row.waitFor();
  assert.equal((await page.content()).includes(key), false);
  await page.setViewportSize({ width: 1280, height: 900 });

  step("it is revoked after a question");
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("There is none.").waitFor();

  step("the audit log has both, and its filter is in the address");
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByRole("row", { name: /revoke key/ }).first().waitFor();
  const [wide, room] = await page.getByRole("region", { name: "Table of changes" }).evaluate((table) => [table.scrollWidth, table.clientWidth]);
  assert.ok(wide <= room, `the table is ${wide} wide, and has room for ${room}`);
  await accessible(page, "settings-audit");
  await page.getByLabel("Operation").fill("createKey");
  await page.getByRole("row", { name: /revoke key/ }).first().waitFor({ state: "detached" });
  await page.getByRole("row", { name: /create key/ }).first().waitFor();
  assert.match(page.url(), /operation=createKey/);
  await page.reload();
  await page.getByRole("row", { name: /create key.*done/ }).first().waitFor();
  await page.getByLabel("Operation").fill("nothingLikeIt");
  await page.getByText("Nothing like that was changed.").waitFor();

  step("a quota is set, shown, and taken away again");
  await page.getByRole("link", { name: "Quotas" }).click();
  const limit = page.getByLabel("Applications");
  await limit.fill("many");
  assert.equal(await page.getByRole("button", { name: "Set them" }).isDisabled(), true);
  await limit.fill("500");
  await page.keyboard.press("Enter");
  await page.locator("dd", { hasText: /^500, \d+ there$/ }).waitFor();
  const others = await fetch(`${server}/api/v1/tenants/default/quotas?keep=true`, { method: "PUT", headers: { "Content-Type": "application/json" }, body: '{"instances": 700}' });
  assert.equal(others.status, 200, "another one sets another limit");
  await accessible(page, "settings-quotas");
  const stored = page.getByLabel("Stored data");
  await stored.fill("5 MB");
  await page.getByText("Stored data: a number, with B, KiB, MiB, GiB or TiB behind it, up to 1024 TiB.").waitFor();
  await stored.fill("5 GiB");
  await page.keyboard.press("Enter");
  await page.locator("dd", { hasText: /^5(\.0)? GiB, .* used$/ }).waitFor();
  await stored.fill("");
  await limit.fill("");
  await page.keyboard.press("Enter");
  await page.locator("dd", { hasText: /^no limit, \d+ there$/ }).waitFor();
  await page.locator("dd", { hasText: /^700, / }).waitFor();
  await page.getByLabel("Instances at once").fill("");
  await page.keyboard.press("Enter");
  await page.locator("dd", { hasText: /^700, / }).waitFor({ state: "detached" });
  await fitsPhone(page, server, ["#/settings/keys", "#/settings/audit", "#/settings/quotas"]);
});
console.log("walked");
