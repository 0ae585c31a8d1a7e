// Secrets of an application: set by keyboard, replaced and deleted; a value comes back nowhere. Usage: secrets.mjs SERVER, to which
// the application `gate` of tests/e2e/applications was deployed.
import assert from "node:assert/strict";
import { accessible, fitsPhone, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const VALUE = "walked-secret-4711\nof two lines";

await withPage(async (page) => {
  const asked = [];
  page.on("request", (request) => asked.push(request));
  step("an application without one says so");
  await page.goto(`${server}/ui/#/applications/gate`);
  await page.getByText("None is kept.").waitFor();

  step("what the platform would refuse is said, and cannot be sent");
  const set = page.getByRole("button", { name: "Set", exact: true });
  await page.getByLabel("Name").fill("1st");
  await page.getByText("no digit first").waitFor();
  await page.getByLabel("Name").fill("PAYMENT_KEY");
  await page.getByLabel("Value").fill("short");
  await page.getByText("At least 8 characters").waitFor();
  const [name, value, button] = await Promise.all([page.getByLabel("Name"), page.getByLabel("Value"), set].map((one) => one.boundingBox()));
  for (const one of [value, button]) assert.ok(Math.abs(one.y - name.y) < 2 && Math.abs(one.height - name.height) < 3, `in one line: ${JSON.stringify([name, one])}`);
  assert.equal(await set.isDisabled(), true);

  step("it is set by keyboard, and its value is gone from the page");
  await page.getByLabel("Value").fill(VALUE);
  await accessible(page, "secrets-set");
  await page.getByLabel("Value").press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("rowheader", { name: "PAYMENT_KEY" }).waitFor();
  await page.getByText("PAYMENT_KEY is set").waitFor();
  assert.equal(await page.getByLabel("Value").inputValue(), "");
  await accessible(page, "secrets");
  assert.equal((await page.content()).includes("walked-secret"), false);
  const kept = await page.evaluate(() => JSON.stringify([document.cookie, location.href, { ...localStorage }, { ...sessionStorage }]));
  assert.equal(kept.includes("walked-secret"), false, "no storage has it");
  const sent = asked.filter((request) => request.method() === "PUT");
  assert.deepEqual(sent.map((request) => request.postData()), [VALUE]);
  assert.equal(asked.some((request) => request.url().includes("walked-secret")), false, "no address has it");

  step("and nothing answers with it");
  const answer = await fetch(`${server}/api/v1/applications/gate/secrets`);
  assert.equal((await answer.text()).includes("walked-secret"), false);

  step("it is deleted after a question");
  const row = page.getByRole("row", { name: /^PAYMENT_KEY/ });
  await row.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Keep it" }).click();
  await row.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("None is kept.").waitFor();
  await fitsPhone(page, server, ["#/applications/gate"]);
});
console.log("walked");
