// Triggers, queues and dead letters of a running platform to which tests/e2e/applications/events was deployed. Usage: queues.mjs SERVER.
import assert from "node:assert/strict";
import { strToU8, zipSync } from "fflate";
import { accessible, fitsPhone, landed, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);

async function send(page, message) {
  await page.getByLabel("Message, as JSON").fill(JSON.stringify(message));
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

/** An application whose one instance at a time is busy for a while, with three events more than it has room for. */
async function busy() {
  const files = { "sand.yaml": strToU8("name: held\ngrains:\n  hold:\n    concurrency: 1\n"), "grains/hold/handler.py": strToU8("import time\ndef handle(event, context):\n    time.sleep(20)\n") };
  const made = await fetch(`${server}/api/v1/applications`, { method: "POST", body: zipSync(files), headers: { "Content-Type": "application/zip" } });
  assert.equal(made.status, 201, await made.text());
  for (const body of ['"first"', '{"markup": "<b>second</b>", "big": 12345678901234567890}', JSON.stringify("x".repeat(100_000)), '"fourth"']) {
    const asked = await fetch(`${server}/invoke/held/hold`, { method: "POST", body, headers: { "Content-Type": "application/json", Prefer: "respond-async" } });
    assert.equal(asked.status, 202, await asked.text());
  }
}

await withPage(async (page) => {
  step("a trigger is armed and fires; disarmed, it does not");
  await page.goto(`${server}/ui/#/applications/events/triggers`);
  const beat = page.getByRole("row", { name: /^beat/ });
  await page.getByText("put of keys uploads/").waitFor();
  await beat.getByText("disarmed").waitFor();
  await beat.getByText("every 1s", { exact: true }).waitFor();
  await beat.getByRole("button", { name: "Arm" }).press("Enter");
  await beat.getByText("armed", { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Disarm beat", "who pressed it is where he was");
  await beat.getByText(/^\d{4}-\d{2}-\d{2} /).waitFor();
  await accessible(page, "triggers");
  await beat.getByRole("button", { name: "Disarm" }).click();
  await beat.getByText("disarmed").waitFor();
  const notes = page.getByRole("region", { name: "Table of who armed and disarmed" });
  await notes.getByRole("row", { name: /beat disarmed this machine$/ }).waitFor();
  await notes.getByRole("row", { name: /beat armed this machine$/ }).waitFor();

  step("queues, of the application and of its grains");
  await page.getByRole("link", { name: "Queues" }).click();
  await page.getByRole("row", { name: /^flaky queue flaky/ }).waitFor();
  await page.getByRole("row", { name: /^work / }).first().waitFor();
  step("and the application's other topics");
  await page.getByRole("row", { name: /^journal\.events backups of executions \d/ }).waitFor();
  await page.getByRole("row", { name: /^work\.events\.flaky events of flaky for other hosts 0 – 0\/s 0\/s / }).waitFor();
  await accessible(page, "queues");
  // How many come is known once the page was open for a while.
  await page.getByRole("row", { name: /^flaky queue flaky \d+ [\d.]+\/(s|min) [\d.]+\/(s|min) / }).waitFor();

  step("how fast records come to the journal and go, and what they say, which is text");
  const said = await fetch(`${server}/invoke/events/work`, { method: "POST", body: '{"markup": "<em>kept</em>"}', headers: { "Content-Type": "application/json" } });
  assert.equal(said.status, 200, await said.text());
  await page.goto(`${server}/ui/#/topics`);
  await page.getByRole("row", { name: /^slots which host owns/ }).waitFor();
  await page.getByRole("row", { name: /^queue\.events\.flaky messages of flaky / }).waitFor();
  await page.getByRole("row", { name: /^journal\.events backups of executions [\d,]+ \S+ \S+ (?!0\/)[\d.]+\/(s|min) [\d.]+\/(s|min) \d+$/ }).waitFor();
  await accessible(page, "topics");
  await page.getByRole("link", { name: "journal.events", exact: true }).click();
  await page.getByRole("link", { name: "The last" }).click();
  const record = page.getByRole("article", { name: /^Record \d+\/\d+$/ });
  await record.locator("pre").filter({ hasText: '"kind"' }).first().waitFor();
  assert.equal(await page.locator("main em").count(), 0, "a record is text");
  await accessible(page, "topic");
  await page.goto(`${server}/ui/#/topics/nothing`);
  await page.getByRole("alert").filter({ hasText: "no topic 'nothing'" }).first().waitFor();

  step("what waits for an instance: how much comes and goes, and the beginnings of inputs, which stay");
  const since = Date.now();
  await busy();
  await page.goto(`${server}/ui/#/applications/held/queues`);
  const held = page.getByRole("row", { name: /^hold .* 3, for [\d.]+ s [\d.]+\/s [\d.]+\/s 1 [01]$/ });
  const rates = await held.innerText();
  // Four have come and one of them went, within ten seconds: if it was looked at within these.
  assert.ok(Date.now() - since > 9000 || /\b0\.4\/s\s+0\.1\/s/.test(rates), rates);
  await accessible(page, "local-queues");
  await page.getByRole("link", { name: "hold", exact: true }).click();
  const events = page.getByRole("article", { name: /^Event / });
  await events.nth(2).waitFor();
  assert.match(await events.nth(0).locator("pre").innerText(), /<b>second<\/b>/);
  assert.match(await events.nth(0).locator("pre").innerText(), /12345678901234567890/);
  assert.equal(await page.locator("main b").count(), 0, "an input is text");
  await events.nth(1).getByText("98 KiB of application/json").waitFor();
  await events.nth(1).getByText("Only the beginning is shown").waitFor();
  assert.equal((await events.nth(1).locator("pre").innerText()).length, 2048);
  await page.getByText("waiting events as curl, as command").click();
  await page.getByText(/queues peek held hold --local/).waitFor();
  await accessible(page, "local-queue");
  await events.nth(0).getByRole("link").click();
  await page.locator(".facts .badge").first().waitFor();
  await page.goto(`${server}/ui/#/applications/held/local-queues/none`);
  await page.getByRole("alert").filter({ hasText: "none" }).first().waitFor();
  await page.goto(`${server}/ui/#/applications/events/queues`);

  step("a message that fails as often as it may is a dead letter, and says why");
  await page.getByRole("region", { name: "Queues", exact: true }).getByRole("link", { name: "flaky", exact: true }).click();
  await page.getByText("There is none. A message").waitFor();
  await send(page, { name: "walk", fails: 4, markup: "<b>bold</b>" });
  await page.getByText("sent as ").waitFor();
  const letter = page.getByRole("article", { name: /^Dead letter/ });
  await letter.getByRole("heading", { name: "ValueError: attempt 3 fails" }).waitFor();
  assert.match(await letter.locator("pre").innerText(), /<b>bold<\/b>/);
  assert.equal(await page.locator("main b").count(), 0, "a payload is text");
  await accessible(page, "dead-letters");
  // It waits no more, and who is told of it neither.
  await page.locator(".facts dd", { hasText: /^0$/ }).first().waitFor();
  const counted = (await (await fetch(`${server}/api/v1/applications/events/queues`)).json()).queues.find((one) => one.name === "flaky");
  assert.deepEqual([counted.waiting, counted.deadLetters, counted.oldestMs], [0, 1, undefined]);

  step("its execution is a click away; sent again, it works");
  await letter.getByRole("link").click();
  await page.locator(".facts .badge", { hasText: "failed" }).waitFor();
  await page.goBack();
  await letter.getByRole("button", { name: "Send again" }).press("Enter");
  await letter.waitFor({ state: "detached" });
  await landed(page, /^Dead letters$/);
  await page.getByText("sent again", { exact: true }).waitFor();

  step("what waits can be looked at, is text, and stays");
  await page.goto(`${server}/ui/#/applications/events/queues/slow-again`);
  await page.getByText("None waits.").waitFor();
  await send(page, { name: "later", fails: 9, big: 12345678901234567890n.toString(), markup: "<i>text</i>" });
  const waiting = page.getByRole("article", { name: /^Message / });
  await waiting.getByText("1 of 2 attempts failed").waitFor();
  assert.match(await waiting.locator("pre").innerText(), /<i>text<\/i>/);
  assert.equal(await page.locator("main i").count(), 0, "a message is text");
  await accessible(page, "queue-waiting");
  await page.goto(`${server}/ui/#/applications/events/queues/flaky`);

  step("those that nobody wants are dropped, after a question");
  await send(page, { name: "never", fails: 99 });
  await letter.waitFor();
  await letter.getByRole("button", { name: "Drop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Keep it" }).click();
  await letter.waitFor();
  await letter.getByRole("button", { name: "Drop" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Drop" }).press("Enter");
  await letter.waitFor({ state: "detached" });
  await landed(page, /^Dead letters$/);

  step("a queue that is not there");
  await page.goto(`${server}/ui/#/applications/events/queues/constructor`);
  await page.getByText("has no queue constructor").waitFor();
  await fitsPhone(page, server, ["#/applications/events/triggers", "#/applications/events/queues", "#/applications/events/queues/flaky", "#/topics", "#/topics/journal.events"]);
});
console.log("walked");
