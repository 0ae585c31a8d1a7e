// Hosts and cloud processes of a running platform to which examples/chat was deployed. Usage: processes.mjs SERVER.
import assert from "node:assert/strict";
import { accessible, fitsPhone, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const call = (room, grain, input) =>
  fetch(`${server}/api/v1/applications/chat/processes/invoke?function=${grain}`, {
    method: "POST",
    body: JSON.stringify(input),
    headers: { "Content-Type": "application/json", "Sand-Process": room },
  });

await withPage(async (page) => {
  step("an application without a process says what one is");
  await page.goto(`${server}/ui/#/applications/chat/processes`);
  await page.getByText("There is none yet.").waitFor();
  await accessible(page, "processes-none");

  step("one is made, by keyboard; an id that cannot be is not sent");
  await page.getByLabel("Its id").fill("kitchen/2");
  assert.equal(await page.getByRole("button", { name: "Make it" }).isDisabled(), true);
  await page.getByLabel("Its id").fill("kitchen");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "kitchen", level: 1 }).waitFor();

  step("what it holds is seen as it changes");
  assert.equal((await call("kitchen", "join", { name: "Ada" })).status, 200);
  assert.equal((await call("kitchen", "say", { name: "Ada", text: "<b>hello</b>" })).status, 200);
  await page.getByText("1 key, ").waitFor();
  await page.locator("dd", { hasText: /^2$/ }).waitFor();
  await accessible(page, "process");

  step("it is swapped out, and in again");
  await page.getByRole("button", { name: "Swap out" }).click();
  await page.locator(".facts .badge", { hasText: "swapped" }).waitFor();
  await page.getByRole("button", { name: "Swap in" }).click();
  await page.locator(".facts .badge", { hasText: /idle|active/ }).waitFor();
  await page.getByRole("button", { name: "Checkpoint" }).click();
  await page.getByText("checkpoint: done").waitFor();

  step("the list has it");
  await page.getByRole("link", { name: "Processes" }).first().click();
  await page.getByRole("rowheader", { name: "kitchen" }).waitFor();
  await accessible(page, "processes");

  step("hosts, with the sandbox that it runs in");
  await page.getByRole("link", { name: "Hosts" }).click();
  await page.getByRole("rowheader", { name: "chat", exact: true }).first().waitFor();
  await page.getByText("Workers and instances by grain").click();
  await page.getByRole("rowheader", { name: "chat/say" }).waitFor();
  await accessible(page, "hosts");

  step("nothing is killed without a question, which Escape answers with no");
  await page.goto(`${server}/ui/#/applications/chat/processes/kitchen`);
  await page.getByRole("button", { name: "Kill" }).click();
  await page.getByRole("dialog", { name: "Kill kitchen?" }).waitFor();
  await accessible(page, "process-kill");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.getByRole("button", { name: "Kill" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
  await page.getByText("There is none yet.").waitFor();
  await fitsPhone(page, server, ["#/hosts", "#/applications/chat/processes", "#/applications/chat/processes/kitchen"]);
});
console.log("walked");
