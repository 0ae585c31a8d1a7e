// The connection to the platform is lost while an execution is watched, and comes back: the page catches up by itself, whatever has
// happened meanwhile. Usage: lost.mjs SERVER, to which the application `gate` of tests/e2e/applications was deployed.
import assert from "node:assert/strict";
import { accessible, withPage } from "./browser.mjs";
import { cuttable } from "./cut.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const JSON_TYPE = { "Content-Type": "application/json" };
const post = (path, input = {}) => fetch(`${server}${path}`, { method: "POST", body: JSON.stringify(input), headers: JSON_TYPE });
const status = (page, text) => page.locator(".facts .badge", { hasText: text }).waitFor();
const state = (page, name, is) => page.locator(`[data-state="${name}"][data-status="${is}"]`).waitFor();
const isLive = (page) => page.locator("dd", { hasText: "live" }).waitFor();
const isLost = (page) => page.locator("dd", { hasText: "connection lost, coming back" }).waitFor();

/** Begun from the page, which was not loaded anew as long as it has the mark. */
async function begin(page, way, workflow, input) {
  await page.goto(`${way.address}/ui/#/applications/gate/workflows/${workflow}`);
  await page.locator('[data-state="Pause"]').waitFor();
  await page.getByLabel("Input, as JSON").fill(JSON.stringify(input));
  await page.keyboard.press("Control+Enter");
  await state(page, "Pause", "running");
  await isLive(page);
  await page.evaluate(() => (window.mark = "the same page"));
  return page.url().split("/").at(-1);
}
const isTheSame = async (page) => assert.equal(await page.evaluate(() => window.mark), "the same page");

/** Asked of the platform itself. */
async function ended(id) {
  for (let i = 0; i < 300; i++) {
    const found = await (await fetch(`${server}/api/v1/applications/gate/invocations/${id}`)).json();
    if (found.status !== "RUNNING") return found.status;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${id} does not end`);
}

await withPage(async (page) => {
  const way = await cuttable(server);
  try {
    step("lost in the middle of an execution: it is said, and what was seen stays");
    const id = await begin(page, way, "main", { name: "Ada" });
    way.cut();
    await isLost(page);
    await state(page, "Greet", "succeeded");
    await accessible(page, "execution-lost");

    step("it ends meanwhile; the page shows its end once the connection is there again, with all that was missed");
    assert.equal(await ended(id), "SUCCEEDED");
    assert.equal(await page.locator(".facts .badge", { hasText: "running" }).count(), 1, "it cannot know yet");
    way.mend();
    await status(page, "succeeded");
    await state(page, "Check", "succeeded");
    await page.getByRole("rowheader", { name: "check" }).waitFor();
    assert.match(await page.getByLabel("the output", { exact: true }).innerText(), /Hello, Ada/);
    assert.equal(await page.getByRole("alert").count(), 0, "nothing of the loss is left");
    await isTheSame(page);

    step("lost and found while it runs: the page is live again, and hears the end at once");
    const slow = await begin(page, way, "slow", {});
    way.cut();
    await isLost(page);
    way.mend();
    await isLive(page);
    assert.equal((await post(`/api/v1/applications/gate/invocations/${slow}/cancel`)).status, 200);
    await status(page, "cancelled");
    await isTheSame(page);

    step("a log that is followed goes on where it was: nothing is missing, nothing is there twice");
    await page.goto(`${way.address}/ui/#/applications/gate/logs`);
    await post("/invoke/gate/greet", { name: "Before" });
    await page.getByText("greeting Before").waitFor();
    way.cut();
    await page.getByText("connecting…", { exact: true }).waitFor();
    await post("/invoke/gate/greet", { name: "Meanwhile" });
    way.mend();
    await page.getByText("greeting Meanwhile").waitFor();
    await post("/invoke/gate/greet", { name: "After" });
    await page.getByText("greeting After").waitFor();

    step("a connection that dies without a word is noticed all the same");
    way.silence();
    await post("/invoke/gate/greet", { name: "Unheard" });
    await page.getByText("greeting Unheard").waitFor();
    for (const name of ["Unheard", "Before", "Meanwhile", "After"]) assert.equal(await page.getByText(`greeting ${name}`).count(), 1, name);
  } finally {
    way.close();
  }
});
console.log("walked");
