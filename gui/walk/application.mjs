// An application's page: what it is for, its triggers, names of its environment and secrets; and its end, which asks for its name.
// Deploys what it needs. Usage: application.mjs SERVER.
import assert from "node:assert/strict";
import { strToU8, zipSync } from "fflate";
import { LONG_WORD, accessible, fitsPhone, goneAlone, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const FILES = {
  "sand.yaml": `name: described
description: |
  Counts <b>words</b>.
  Of whatever is sent.
grains:
  count: {env: {LIMIT: "walked-value", LANGUAGE: en}, secrets: [API_KEY]}
triggers:
  nightly: {cron: "30 3 * * *", target: count}
  uploads: {data: {prefix: uploads/, operations: [put]}, target: count, armed: false}
`,
  "grains/count/handler.py": "def handle(event, context):\n    return len(event)\n",
  "grains/plain/handler.py": "def handle(event, context):\n    return event\n",
};

const LONG_NAME = LONG_WORD.slice(0, 60);
const long = LONG_NAME.toLowerCase();
const LONG_FILES = {
  "sand.yaml": `name: ${long}\nworkflows:\n  ${LONG_NAME}: {file: workflows/main.asl.json}\n`,
  "grains/plain/handler.py": FILES["grains/plain/handler.py"],
  "workflows/main.asl.json": JSON.stringify({ StartAt: LONG_NAME, States: { [LONG_NAME]: { Type: "Succeed" } } }),
};

async function deploy(files) {
  const zip = zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])));
  const made = await fetch(`${server}/api/v1/applications`, { method: "POST", body: zip, headers: { "Content-Type": "application/zip" } });
  assert.equal(made.status, 201, await made.text());
}

await withPage(async (page) => {
  await deploy(FILES);

  step("what it is for, as text and in its lines");
  await page.goto(`${server}/ui/#/applications/described`);
  const about = page.getByText("Counts <b>words</b>.");
  assert.equal(await about.innerText(), "Counts <b>words</b>.\nOf whatever is sent.");

  step("its triggers, and names of what its grains are given");
  await page.getByRole("row", { name: /^nightly armed .*count$/ }).waitFor();
  await page.getByRole("row", { name: /^uploads disarmed put of keys uploads\/… count$/ }).waitFor();
  await page.getByRole("row", { name: "count LANGUAGE, LIMIT API_KEY", exact: true }).waitFor();
  assert.equal(await page.getByText("walked-value").count(), 0, "no value");
  await accessible(page, "application-described");
  await page.getByRole("link", { name: "Arm and disarm" }).click();
  await page.getByRole("button", { name: "Arm uploads" }).waitFor();
  await page.goBack();

  step("it is not deleted without its name");
  const deletes = page.getByRole("button", { name: "Delete it" }).first();
  await deletes.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("queues with their messages").waitFor();
  await accessible(page, "application-delete");
  const last = dialog.getByRole("button", { name: "Delete it" });
  assert.equal(await last.isDisabled(), true);
  await dialog.getByRole("textbox").fill("describe");
  await page.keyboard.press("Enter");
  assert.equal(await last.isDisabled(), true);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" }).catch(() => dialog.waitFor({ state: "hidden" }));
  assert.equal((await fetch(`${server}/api/v1/applications/described`)).status, 200);
  await fitsPhone(page, server, ["#/applications/described"]);

  step("with its name it is, and the page of all is there");
  await page.setViewportSize({ width: 1280, height: 900 });
  await deletes.click();
  assert.equal(await dialog.getByRole("textbox").inputValue(), "", "what was typed before is gone");
  await dialog.getByRole("textbox").fill("described");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Applications", level: 1 }).waitFor();
  await page.getByRole("link", { name: "described", exact: true }).waitFor({ state: "detached" });
  assert.equal((await fetch(`${server}/api/v1/applications/described`)).status, 404);

  step("each page of what is gone says that alone, also where it was seen before");
  const of = ["", "/versions", "/versions/1", "/executions", "/executions/01M8B8XV5Z3CMPJ4NX3GH5GZ86", "/triggers", "/queues", "/queues/uploads", "/local-queues/count", "/data?key=a", "/processes", "/processes/none", "/logs", "/grains/count", "/workflows/count"];
  for (const rest of of) {
    await page.goto(`${server}/ui/#/applications/described${rest}`);
    await goneAlone(page, /^Unknown|Not found/);
  }

  step("names as long as they may be widen no page of a phone, and stay where they belong");
  await deploy(LONG_FILES);
  await fitsPhone(page, server, [`#/applications/${long}`, `#/deploy?into=${long}`, `#/applications/${long}/workflows/${LONG_NAME}`]);
  await page.goto(`${server}/ui/#/applications/${long}/logs`);
  const tab = page.getByRole("link", { name: "Logs", exact: true });
  await page.getByRole("heading", { name: "Logs", level: 1 }).waitFor();
  const { x, width } = await tab.boundingBox();
  assert.ok(x >= 0 && x + width <= 390, "the tab of the page is seen");
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${server}/ui/#/applications/${long}`);
  const card = page.locator(".cards > li");
  await card.getByRole("link", { name: LONG_NAME, exact: true }).waitFor();
  assert.ok(await card.evaluate((box) => box.scrollWidth <= box.clientWidth), "a name is in its card");
});
console.log("walked");
