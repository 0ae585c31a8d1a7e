// Through the GUI of a running platform, as somebody does who has just deployed the application `gate` of tests/e2e/applications.
// Usage: walk.mjs SERVER. Run by tests/e2e/test_gui.py; says each step, and ends with 1 at the first that fails.
import assert from "node:assert/strict";
import { accessible, fitsPhone, goneAlone, landed, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const invoke = (target, input) =>
  fetch(`${server}/invoke/gate/${target}`, { method: "POST", body: JSON.stringify(input), headers: { "Content-Type": "application/json" } });

/** The graph's box of a state, once it has that status. */
const state = (page, name, status) => page.locator(`[data-state="${name}"][data-status="${status}"]`).waitFor();
const status = (page, text) => page.locator(".facts .badge", { hasText: text }).waitFor();

await withPage(async (page) => {
  step("a browser at / comes to the GUI, which shows the application");
  await page.goto(`${server}/`);
  assert.ok(page.url().startsWith(`${server}/ui/`), page.url());
  await page.getByRole("link", { name: "gate", exact: true }).waitFor();
  await accessible(page, "home");

  step("its page, by keyboard");
  await page.getByRole("link", { name: "gate", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "gate", exact: true }).waitFor();
  await page.getByRole("rowheader", { name: "check" }).waitFor();
  await accessible(page, "application");

  step("its workflow, with the graph");
  await page.getByRole("link", { name: "main", exact: true }).click();
  await page.locator('[data-state="Pause"]').waitFor();
  await accessible(page, "workflow");

  step("an input that is no JSON cannot be sent");
  await page.getByLabel("Input, as JSON").fill("{");
  assert.equal(await page.getByRole("button", { name: "Run", exact: true }).isDisabled(), true);

  step("an input is saved under a name, and is there after a reload, for everybody");
  await page.getByLabel("Input, as JSON").fill('{"name": "closed"}');
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("turned-away");
  await page.getByRole("button", { name: "Save the event" }).click();
  await page.getByText("turned-away is saved.").waitFor();
  await page.reload();
  const list = page.getByRole("combobox", { name: "Saved event" });
  await list.waitFor();
  assert.equal(await list.inputValue(), "turned-away");
  await page.getByLabel("Input, as JSON").waitFor();
  assert.equal(await page.getByLabel("Input, as JSON").inputValue(), '{"name": "closed"}');
  await accessible(page, "workflow-event");
  const kept = await (await fetch(`${server}/api/v1/applications/gate/workflows/main/events`)).json();
  assert.deepEqual(kept.events, [{ name: "turned-away", saved: true, file: null }]);
  await list.selectOption("");

  step("run it, by keyboard: its states change as they run");
  await page.getByLabel("Input, as JSON").fill('{"name": "<b>Ada</b>", "big": 12345678901234567890}');
  await page.keyboard.press("Control+Enter");
  await status(page, "running");
  await state(page, "Greet", "succeeded");
  await state(page, "Pause", "running");
  await page.locator("dd", { hasText: "live" }).waitFor();
  await accessible(page, "execution-running");
  await status(page, "succeeded");
  await state(page, "Check", "succeeded");
  const output = await page.getByLabel("the output", { exact: true }).innerText();
  assert.match(output, /<b>Ada<\/b>/, "a value is text");
  assert.equal(await page.locator("main b").count(), 0, "and never markup");
  const rowOf = (name) => page.getByRole("table", { name: "Attempts" }).getByRole("row").filter({ has: page.getByRole("rowheader", { name, exact: true }) });
  await rowOf("Greet").getByText("greet", { exact: true }).waitFor();
  await rowOf("Pause").getByText("waits", { exact: true }).waitFor();
  assert.match(await rowOf("Pause").innerText(), /\d\.\d{3} s/, "how long");
  assert.match(await rowOf("Greet").innerText(), /\d\.\d{3} ms|\d µs/, "to the microsecond");
  const execution = page.url();

  step("a state's input and output, chosen by the list");
  await page.getByRole("combobox", { name: /^State/ }).selectOption("Check");
  assert.match(await page.getByLabel("the input of Check", { exact: true }).innerText(), /12345678901234567890/);
  await accessible(page, "execution");

  step("its values have more room when somebody wants it");
  const widthOf = async () => (await page.getByLabel("the input of Check", { exact: true }).boundingBox()).width;
  const beside = await widthOf();
  await page.getByRole("button", { name: "Wide", exact: true }).click();
  assert.ok((await widthOf()) > beside, "below the graph it is wider than beside it");
  await accessible(page, "execution-wide");
  await page.getByRole("button", { name: "Wide", exact: true }).click();
  assert.equal(await widthOf(), beside);
  await page.locator(".course .graph").evaluate((graph) => (graph.style.width = "25rem"));
  assert.ok((await widthOf()) > beside, "and where the graph is made smaller");

  step("another by keyboard in the graph: arrows follow its ways");
  await page.locator('.react-flow__node:has([data-state="Greet"])').focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Check succeeded", level: 3 }).waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press(" ");
  await page.getByRole("heading", { name: "Pause succeeded", level: 3 }).waitFor();

  step("the address of an execution leads to it");
  await page.goto("about:blank");
  await page.goto(execution);
  await status(page, "succeeded");

  step("a failing one: the error and its line; redriven, it works once the grain lets it through");
  await invoke("open", { open: false });
  await invoke("main", { name: "closed" });
  await page.goto(`${server}/ui/#/applications/gate/executions?status=FAILED`);
  await page.getByRole("rowheader").first().waitFor();
  await accessible(page, "executions");
  await page.locator("tbody a").first().click();
  await page.getByRole("heading", { name: "GateClosed" }).waitFor();
  assert.match(await page.getByLabel("Stack trace").innerText(), /line \d+, in handle/);
  // Each line that it names is a way there.
  await page.locator(".places li").nth(1).waitFor();
  await state(page, "Check", "failed");
  await accessible(page, "execution-failed");
  await invoke("open", { open: true });
  await page.getByRole("button", { name: "Redrive from the state that failed" }).press("Enter");
  await landed(page, /^(running|succeeded)/);
  await status(page, "succeeded");
  await state(page, "Check", "succeeded");
  assert.match(await page.locator('[data-state="Check"] .kind').innerText(), /Task · 1 redriven$/, "which is no retry");
  await page.locator(".facts > div", { hasText: /^Redriven1 ×, last \d{4}-/ }).waitFor();
  await page.locator(".facts > div", { hasText: /^Took.* of it since it was redriven$/ }).waitFor();
  await page.locator(".facts dt", { hasText: /^Asked for$/ }).waitFor();

  step("another one that failed, redriven from a state that was chosen: that one runs once more");
  await invoke("open", { open: false });
  const failed = (await invoke("main", { name: "closed" })).headers.get("Sand-Execution-Id");
  await invoke("open", { open: true });
  await page.goto(`${server}/ui/#/applications/gate/executions/${failed}`);
  await state(page, "Check", "failed");
  await page.locator('[data-state="Greet"]').click();
  await page.getByRole("heading", { name: "Greet succeeded", level: 3 }).waitFor();
  await accessible(page, "execution-state");
  await page.getByRole("button", { name: "Redrive from here" }).press("Enter");
  await landed(page, /^Graph$/);
  await status(page, "succeeded");
  await state(page, "Check", "succeeded");
  const runs = page.getByRole("combobox", { name: /^Run/ });
  await runs.locator("option", { hasText: "2 of 2 (succeeded)" }).waitFor({ state: "attached" });
  await runs.selectOption({ label: "1 of 2 (succeeded)" });
  await page.getByLabel("the output of Greet", { exact: true }).waitFor();

  step("one that runs is cancelled");
  await page.goto(`${server}/ui/#/applications/gate/workflows/slow`);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await status(page, "running");
  await page.getByRole("button", { name: "Cancel", exact: true }).press("Enter");
  await status(page, "cancelled");
  await landed(page, /^cancelled/);
  await page.keyboard.press("Tab");
  assert.match(await page.evaluate(() => document.activeElement.textContent), /^Redrive/, "what can be done now is next");

  step("a grain, called by itself");
  await page.goto(`${server}/ui/#/applications/gate/grains/greet`);
  await page.getByLabel("Input, as JSON").fill('{"name": "Grace"}');
  await page.getByRole("textbox", { name: "grains/greet/handler.py" }).waitFor();
  await page.getByText("Requirements, as installed").waitFor();
  await accessible(page, "grain");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator(".result .badge", { hasText: "succeeded" }).waitFor();
  const inView = async (locator) => {
    await locator.waitFor();
    const { x, y, width, height } = await locator.boundingBox();
    assert.ok(y >= 0 && y + height <= 900 && x + width <= 1280, `${x} ${y} ${width} ${height}`);
    return x + width / 2;
  };
  const [left, ...right] = [await inView(page.getByLabel("the output", { exact: true })), await inView(page.locator(".result .log")), await inView(page.locator(".result td.bars svg").first())];
  assert.ok(right.every((x) => x > left), "the result stands beside logs and breakdown");

  step("the log, live and filtered");
  await page.goto(`${server}/ui/#/applications/gate/logs`);
  await page.getByText("greeting Grace").first().waitFor();
  await invoke("greet", { name: "Linus" });
  await page.getByText("greeting Linus").first().waitFor();
  await page.getByRole("searchbox", { name: "With the text" }).pressSequentially("lunus");
  for (const key of ["ArrowLeft", "ArrowLeft", "ArrowLeft", "Backspace"]) await page.keyboard.press(key);
  await page.keyboard.type("i", { delay: 300 });
  assert.equal(await page.getByRole("searchbox", { name: "With the text" }).inputValue(), "linus", "the caret stays where it is");
  await page.getByText("greeting Grace").first().waitFor({ state: "detached" });
  await page.waitForURL(/text=linus/);
  await page.getByLabel("Level, at least").selectOption("error");
  await page.getByText("greeting Linus").first().waitFor({ state: "detached" });
  await page.getByLabel("Level, at least").selectOption("any");
  await page.getByText("greeting Linus").first().waitFor();
  await page.getByLabel("stdout").uncheck();
  await page.getByLabel("stderr").uncheck();
  await page.getByText("greeting Linus").first().waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Executions" }).click();
  await page.getByRole("link", { name: "Logs" }).click();
  assert.equal(await page.getByLabel("stdout").isChecked(), false, "what was hidden stays so");
  await page.getByLabel("stdout").check();
  await page.getByLabel("stderr").check();
  await accessible(page, "logs");

  step("of a long log the last lines, earlier ones when they are asked for, and the first that is kept");
  await invoke("chatter", 1700);
  await page.getByText("chatter 1699", { exact: false }).waitFor();
  const whole = page.getByText("Nothing older that is like this is kept.");
  const shown = page.getByLabel("Log lines").locator("> span");
  await page.getByRole("searchbox", { name: "With the text" }).fill("CHATTER");
  await page.getByRole("button", { name: "Earlier lines" }).waitFor();
  assert.equal(await whole.count(), 0);
  await shown.first().getByText("chatter 1200").waitFor();
  await page.getByRole("button", { name: "Earlier lines" }).click();
  await shown.first().getByText("chatter 200 of").waitFor();
  await page.getByRole("button", { name: "Earlier lines" }).click();
  await whole.waitFor();
  assert.equal(await shown.count(), 1 + 1700, "each line once");
  await page.getByRole("searchbox", { name: "With the text" }).fill("chatter 3 of");
  await page.getByLabel("Log lines").getByText("chatter 3 of").waitFor();
  await page.getByText("chatter 1699", { exact: false }).waitFor({ state: "detached" });
  await page.getByLabel("Log lines").getByRole("link").click();
  await page.getByText("chatter 1699", { exact: false }).waitFor();
  await page.getByRole("searchbox", { name: "With the text" }).fill("chatter 5 of");
  await page.getByLabel("Log lines").getByText("chatter 5 of").waitFor();
  await page.getByText("chatter 1699", { exact: false }).waitFor({ state: "detached" });

  step("of an application that is not there none are shown, and it is said");
  await page.goto(`${server}/ui/#/applications/gone/logs`);
  await goneAlone(page, "Unknown application");
  await page.goto(`${server}/ui/#/applications/gate/logs`);
  await page.getByLabel("Log lines").getByRole("link").last().waitFor();

  step("from a line to its execution");
  await page.getByLabel("Log lines").getByRole("link").last().click();
  await status(page, "succeeded");

  step("on a phone nothing is wider than the screen");
  await fitsPhone(page, server, ["#/", "#/applications/gate", "#/applications/gate/executions", "#/applications/gate/logs"]);

  step("an address that leads nowhere says so");
  await page.goto(`${server}/ui/#/nowhere`);
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await accessible(page, "nowhere");

  step("an application that does not exist: said once, and nothing is offered for it");
  await page.goto(`${server}/ui/#/applications/nope`);
  await page.getByRole("alert").waitFor();
  await page.getByRole("link", { name: "All applications" }).waitFor();
  for (const one of ["Deploy a version", "Delete it", "Set"]) assert.equal(await page.locator("main").getByText(one, { exact: true }).count(), 0, one);
  await accessible(page, "no-application");
});
console.log("walked");
