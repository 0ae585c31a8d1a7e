// Values that a page could choke on: markup, bytes, a million keys, brackets in brackets. Usage: values.mjs SERVER.
import assert from "node:assert/strict";
import { strToU8, zipSync } from "fflate";
import { accessible, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const GRAINS = {
  markup: 'return {"html": "<img src=x onerror=\\"window.ran=1\\"><script>window.ran=1</script>", "event": event}',
  bytes: 'return bytes(range(256)) * 10',
  keys: 'return {f"key{i}": i for i in range(1_000_000)}',
  many: 'return {f"key{i}": 12345678901234567890 for i in range(20_000)}',
  deep: 'import json\n    return json.loads("[" * 450 + "1" + "]" * 450)',
  nothing: 'return None',
};
const MOST_MS = 3_000;

await withPage(async (page) => {
  const files = Object.fromEntries(Object.entries(GRAINS).map(([name, line]) => [`grains/${name}/handler.py`, strToU8(`def handle(event, context):\n    ${line}\n`)]));
  const zip = zipSync({ "sand.yaml": strToU8("name: values\n"), ...files });
  const made = await fetch(`${server}/api/v1/applications`, { method: "POST", body: zip, headers: { "Content-Type": "application/zip" } });
  assert.equal(made.status, 201, await made.text());

  /** The execution's page, when it has ended. */
  const ran = async (grain) => {
    const answer = await fetch(`${server}/invoke/values/${grain}`, { method: "POST", body: '{"a": "<b>"}', headers: { "Content-Type": "application/json" } });
    assert.equal(answer.status, 200, grain);
    await answer.arrayBuffer();
    await page.goto(`${server}/ui/#/applications/values/executions/${answer.headers.get("sand-execution-id")}`);
    await page.locator(".facts .badge", { hasText: "succeeded" }).waitFor();
    await page.getByRole("heading", { name: "Output" }).waitFor();
  };
  const output = page.getByLabel("the output", { exact: true });

  step("markup is text");
  await ran("markup");
  assert.match(await output.innerText(), /<script>/);
  assert.equal(await page.evaluate(() => window.ran), undefined);

  step("bytes are to be downloaded");
  await ran("bytes");
  await page.getByText("2.5 KiB of application/octet-stream").waitFor();
  assert.equal(await output.count(), 0);

  step("a million keys are to be downloaded, or asked for, and the page goes on");
  await ran("keys");
  await page.getByRole("link", { name: "Download it" }).waitFor();
  assert.equal(await output.count(), 0);
  await page.getByRole("button", { name: "Show it as a tree" }).click();
  await output.getByRole("treeitem", { name: "key0 … key9999" }).waitFor();
  assert.equal(await output.getByRole("treeitem").count(), 101);
  const began = Date.now();
  await output.getByRole("treeitem", { name: "key990000 … key999999" }).click();
  await output.getByRole("treeitem", { name: "key999900 … key999999" }).click();
  await output.getByRole("treeitem", { name: "key999999: 999999" }).waitFor();
  assert.ok(Date.now() - began < MOST_MS, `two stretches took ${Date.now() - began} ms`);

  step("of twenty thousand a tree is shown, opened by keyboard, with all digits");
  await ran("many");
  await output.focus();
  const isOn = (text) => page.waitForFunction((wanted) => document.querySelector('.tree [aria-selected="true"]')?.textContent === wanted, text);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
  await isOn("key10000 … key10099");
  for (const key of ["Enter", "ArrowDown"]) await page.keyboard.press(key);
  await isOn("key10000: 12345678901234567890");
  await accessible(page, "value-tree");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await output.getByRole("treeitem", { name: "key10000: 12345678901234567890" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "as text" }).click();
  await page.getByText("Only the beginning is shown.").waitFor();
  assert.match(await output.innerText(), /"key0": ?12345678901234567890/);

  step("what is nested deep, and what is nothing");
  await ran("deep");
  await output.waitFor();
  await ran("nothing");
  assert.equal(await output.innerText(), "null");

  step("what a grain was called with is shown, and can be run again edited");
  assert.match(await page.getByLabel("the input", { exact: true }).innerText(), /"a": "<b>"/);
  await page.getByRole("link", { name: "Edit it and run again" }).click();
  const field = page.getByLabel("Input, as JSON");
  await field.waitFor();
  assert.equal(await field.inputValue(), '{"a": "<b>"}');
  await field.fill('{"a": "again"}');
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("link", { name: "The execution" }).click();
  await page.getByLabel("the input", { exact: true }).getByText("again").waitFor();
  await accessible(page, "execution-of-grain");

  step("the page is there quickly, with nothing kept from before");
  const cold = await page.context().newPage();
  const session = await cold.context().newCDPSession(cold);
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await cold.goto(`${server}/ui/`);
  await cold.getByRole("rowheader", { name: "values" }).waitFor();
  const ms = await cold.evaluate(() => Math.round(performance.now()));
  console.log(`the list of applications was there after ${ms} ms`);
  assert.ok(ms < MOST_MS, `${ms} ms`);
});
console.log("walked");
