// Events that a grain is tested with: chosen, edited, saved, found again after a reload and by somebody else, deleted.
// Of the application `mail-scanner` of examples/, which has two of its own. Usage: events.mjs SERVER.
import assert from "node:assert/strict";
import { accessible, fitsPhone, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const APPLICATION = `${server}/api/v1/applications/mail-scanner`;
const GRAIN = "#/applications/mail-scanner/grains/links";
const TYPED = '[{"type": "text/plain", "text": "http://198.51.100.7/", "n": 12345678901234567890}]';
const at = (name) => `${APPLICATION}/grains/links/events/${name}`;
const saved = async (name) => (await fetch(at(name))).text();

const save = async (name, text) => {
  const answer = await fetch(at(name), { method: "PUT", body: text, headers: { "Content-Type": "application/json" } });
  assert.equal(answer.status, 200, await answer.text());
};

const controls = (page) => ({
  list: page.getByRole("combobox", { name: "Saved event" }),
  name: page.getByRole("textbox", { name: "Name", exact: true }),
  input: page.getByLabel("Input, as JSON"),
  save: page.getByRole("button", { name: "Save the event", exact: true }),
});

/** Waits until the field has it: a saved event comes from the platform. */
const has = async (page, text) => {
  await page.waitForFunction((wanted) => document.querySelector("#input")?.value === wanted, text);
};

const rules = async (page) => {
  await page.locator(".result .badge", { hasText: "succeeded" }).waitFor();
  return JSON.parse(await page.getByLabel("the output", { exact: true }).innerText()).map((finding) => finding.rule);
};

await withPage(async (page) => {
  const { list, name, input, save: button } = controls(page);

  step("the application's own events are in the list, with their version");
  await page.goto(`${server}/ui/${GRAIN}`);
  await list.getByRole("option", { name: "disguised (file of version 1)" }).waitFor({ state: "attached" });
  assert.deepEqual(await list.getByRole("option").allInnerTexts(), ["none", "disguised (file of version 1)", "honest (file of version 1)"]);
  assert.equal(await input.inputValue(), "{}");

  step("one is chosen by keyboard, and run");
  await list.focus();
  await page.keyboard.press("ArrowDown");
  const file = await saved("disguised");
  await has(page, file);
  assert.equal(await name.inputValue(), "disguised");
  await page.getByText("as curl, as command", { exact: true }).click();
  await page.getByText("invoke mail-scanner/links --async --event disguised").waitFor();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  assert.deepEqual(await rules(page), ["disguised-link", "numeric-host"]);
  await accessible(page, "event-file");

  step("edited: it differs, the command has the text, a reload leaves it");
  await input.fill(TYPED);
  await page.getByText("It differs from what is kept as disguised").waitFor();
  assert.equal(await page.getByText("--event disguised").count(), 0);
  await page.reload();
  await has(page, TYPED);
  assert.equal(await list.inputValue(), "disguised");

  step("what was typed is dropped only when that is confirmed, and not saved with it");
  await page.getByRole("button", { name: "Drop what was typed" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Keep it" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.equal(await input.inputValue(), TYPED);
  await page.getByRole("button", { name: "Drop what was typed" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Drop what was typed" }).click();
  await has(page, file);
  assert.equal(await saved("disguised"), file);
  await page.waitForFunction(() => document.activeElement?.tagName === "SELECT");
  await input.fill(TYPED);

  step("no JSON, no decent name and a name that is taken are refused at the door");
  await input.fill("[");
  assert.equal(await button.isDisabled(), true);
  await input.fill(TYPED);
  await name.fill("a b");
  await page.getByText("A name has letters").waitFor();
  assert.equal(await button.isDisabled(), true);
  await accessible(page, "event-refused");
  await name.fill("honest");
  await page.getByText("There is a honest already").waitFor();
  await name.fill("mine");
  await input.fill(JSON.stringify("x".repeat(300_000)));
  await page.getByText("262,144 are kept at most").waitFor();
  assert.equal(await button.isDisabled(), true);
  await input.fill(TYPED);

  step("a save that does not get there loses nothing");
  await page.route("**/events/mine", (route) => route.abort());
  await button.click();
  await page.getByRole("alert").getByText("The platform does not answer").waitFor();
  assert.equal(await input.inputValue(), TYPED);
  assert.equal(await name.inputValue(), "mine");
  await page.unroute("**/events/mine");

  step("saved under a name of its own, by keyboard: chosen, and no version is made");
  await name.press("Enter");
  await page.getByText("mine is saved.").waitFor();
  assert.equal(await list.inputValue(), "mine");
  assert.equal(await saved("mine"), TYPED, "with all digits");
  assert.equal((await (await fetch(APPLICATION)).json()).version, 1);
  await accessible(page, "event-saved");

  step("after a reload it is there and chosen; what it was typed over is the file again");
  await page.reload();
  await has(page, TYPED);
  assert.equal(await list.inputValue(), "mine");
  await list.selectOption("disguised");
  await has(page, file);

  step("somebody else picks it from the list, and runs it");
  const other = await page.context().newPage();
  await other.goto(`${server}/ui/${GRAIN}`);
  await controls(other).list.selectOption("mine");
  await has(other, TYPED);
  await other.getByRole("button", { name: "Run", exact: true }).click();
  assert.deepEqual(await rules(other), ["numeric-host"]);
  await other.close();

  step("saved by somebody else meanwhile: it is said, nothing is lost, and whoever typed chooses");
  await list.selectOption("mine");
  await has(page, TYPED);
  await input.fill("[1]");
  await save("mine", "[2]");
  await page.getByText("Somebody else saved mine meanwhile").waitFor();
  assert.match(await page.getByLabel("Differences of mine").innerText(), /\[2\][^]*\[1\]/);
  assert.equal(await input.inputValue(), "[1]");
  assert.equal(await button.isDisabled(), true);
  await accessible(page, "event-meanwhile");
  await page.getByRole("button", { name: "Keep mine, to be saved" }).click();
  await page.waitForFunction(() => document.activeElement?.tagName === "SELECT");
  await button.click();
  await page.getByText("mine is saved.").waitFor();
  assert.equal(await saved("mine"), "[1]");

  step("what is typed freely stays beside the events, and is saved as one");
  await list.selectOption("");
  await has(page, "{}");
  await input.fill("[]");
  await list.selectOption("mine");
  await has(page, "[1]");
  await list.selectOption("");
  await has(page, "[]");
  await name.fill("x".repeat(64));
  await button.click();
  await page.getByText(`${"x".repeat(64)} is saved.`).waitFor();

  step("one that is saved over a file takes its place until it is deleted");
  await list.selectOption("honest");
  await has(page, await saved("honest"));
  const honest = await input.inputValue();
  await input.fill("[]");
  await button.click();
  await page.getByText("honest is saved.").waitFor();
  await list.getByRole("option", { name: "honest", exact: true }).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("honest is the file again.").waitFor();
  await has(page, honest);

  step("deleted: gone from the list, the focus is where one goes on, a reload does not bring it back");
  await list.selectOption("mine");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog", { name: "Delete mine?" }).getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("mine is gone.").waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === "SELECT");
  await list.getByRole("option", { name: "mine" }).waitFor({ state: "detached" });
  await page.reload();
  await list.getByRole("option", { name: "x".repeat(64) }).waitFor({ state: "attached" });
  assert.equal(await list.getByRole("option", { name: "mine" }).count(), 0);
  assert.equal((await fetch(at("mine"))).status, 404);

  step("deleted by somebody else while it is typed over: it stays, and can be saved again");
  await list.selectOption("x".repeat(64));
  await has(page, "[]");
  await input.fill("[3]");
  assert.equal((await fetch(at("x".repeat(64)), { method: "DELETE" })).status, 204);
  await page.getByText("was deleted meanwhile").waitFor();
  assert.equal(await input.inputValue(), "[3]");
  await page.getByRole("button", { name: "Keep mine, to be saved" }).click();
  await button.click();
  await page.getByText("xxx is saved.").waitFor();
  assert.equal(await saved("x".repeat(64)), "[3]");

  step("on a phone nothing is wider than the screen");
  await fitsPhone(page, server, [GRAIN]);
  await has(page, "[3]");
  await input.fill("[1]");
  await page.getByText("It differs from what is kept as").waitFor();
  await page.getByText("save event as curl, as command", { exact: true }).click();
  const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(wide <= screen, `${wide} wide on a screen of ${screen}`);
  await accessible(page, "event-phone");
});
// The next walk finds the example as nobody has it.
assert.equal((await fetch(APPLICATION, { method: "DELETE" })).status, 204);
console.log("walked");
