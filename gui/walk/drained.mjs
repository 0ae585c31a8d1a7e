// Two real hosts, each with a sandbox of tests/e2e/applications/gate: one is drained, and takes work again.
// Usage: drained.mjs SERVER HOST OTHER.
import assert from "node:assert/strict";
import { accessible, landed, withPage } from "./browser.mjs";

const [, , server, drained, other] = process.argv;
const step = (text) => console.log(text);
const call = async (name) => {
  const answer = await fetch(`${server}/invoke/gate/greet`, { method: "POST", body: JSON.stringify({ name }), headers: { "Content-Type": "application/json" } });
  assert.equal(answer.status, 200, await answer.text());
};
// Slots go to the other host, and back, in some seconds; on a machine with much to do, in many.
const PATIENCE = { timeout: 120_000 };

await withPage(async (page) => {
  step("both hosts take work, and each has a sandbox and slots");
  await page.goto(`${server}/ui/#/hosts`);
  const host = (name) => page.getByRole("region", { name, exact: true });
  const sandbox = (name) => host(name).getByRole("region", { name: `Sandboxes of ${name}` }).getByRole("rowheader", { name: "gate", exact: true });
  const state = (name, text) => host(name).locator(".heading .badge", { hasText: new RegExp(`^${text}$`) }).waitFor(PATIENCE);
  const slots = (name) => host(name).locator(".facts dt", { hasText: /^Slots/ }).innerText();
  for (const name of [drained, other]) {
    await state(name, "up");
    await sandbox(name).waitFor(PATIENCE);
  }
  const all = (await Promise.all([drained, other].map(slots))).reduce((sum, text) => sum + Number(/\d+/.exec(text)[0]), 0);
  await accessible(page, "hosts-two");

  step("one is drained, by keyboard: it says what is left, and then that nothing is");
  await host(drained).getByRole("button", { name: "Drain" }).press("Enter");
  await page.getByRole("dialog", { name: `Drain ${drained}?` }).getByRole("button", { name: "Drain" }).press("Enter");
  await host(drained).getByRole("button", { name: `Resume ${drained}` }).waitFor(PATIENCE);
  await landed(page, new RegExp(`^${drained}$`));
  await state(drained, "drained");
  await host(drained).getByText("Nothing is on it any more").waitFor();
  await sandbox(drained).waitFor({ state: "detached", ...PATIENCE });
  await host(drained).getByText("None is started until it takes work again").waitFor();
  assert.equal(await slots(drained), "Slots (0)");

  step("the other one has all of its work, and does it");
  await host(other).locator(".facts dt", { hasText: `Slots (${all})` }).waitFor(PATIENCE);
  for (let calls = 0; calls < 20; calls += 1) await call("Ada");
  await sandbox(other).waitFor();
  assert.equal(await sandbox(drained).count(), 0);
  await accessible(page, "hosts-one-drained");

  step("the last one that takes work is not drained, and it is said why");
  await host(other).getByRole("button", { name: "Drain" }).click();
  await page.getByRole("dialog", { name: `Drain ${other}?` }).getByRole("button", { name: "Drain" }).click();
  await host(other).getByRole("alert").filter({ hasText: "only one that takes work" }).waitFor();

  step("it takes work again, and has its share of the slots");
  await host(drained).getByRole("button", { name: `Resume ${drained}` }).press("Enter");
  await state(drained, "up");
  await host(drained).locator(".facts dt", { hasText: /^Slots \([1-9]/ }).waitFor(PATIENCE);
});
console.log("walked");
