// A workflow's definition and graph, each following the other; built by keyboard and by mouse, saved, run. Usage: workflow.mjs SERVER.
import assert from "node:assert/strict";
import { strToU8, zipSync } from "fflate";
import { accessible, fitsPhone, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const DEFINITION = `{
  "Comment": "a number of 20 digits stays: 12345678901234567890",
  "StartAt": "First",
  "States": {
    "First": {"Type": "Task", "Resource": "more", "Next": "Last"},
    "Last": {"Type": "Task", "Resource": "more", "End": true}
  }
}
`;
const inner = (name) => ({ StartAt: name, States: { [name]: { Type: "Pass", End: true } } });
/** More than a phone shows at once. */
const LARGE = {
  StartAt: "First",
  States: {
    First: { Type: "Pass", Next: "Each" },
    Each: { Type: "Map", ItemsPath: "$.items", ItemProcessor: inner("One"), ResultPath: "$.each", Next: "Both" },
    Both: { Type: "Parallel", Branches: [inner("Left"), inner("Right")], ResultPath: "$.both", Next: "Pick" },
    Pick: { Type: "Choice", Choices: [{ Variable: "$.fail", BooleanEquals: true, Next: "Other" }], Default: "Last" },
    Other: { Type: "Pass", Next: "Last" },
    Last: { Type: "Pass", End: true },
  },
};
const FILES = {
  // The file's name is not the workflow's.
  "sand.yaml": "name: drawn\nworkflows: {main: {file: workflows/other-name.asl.json}, large: {file: workflows/large.asl.json}}\n",
  "grains/more/handler.py": "def handle(event, context):\n    return event + 1\n",
  "workflows/other-name.asl.json": DEFINITION,
  "workflows/large.asl.json": JSON.stringify(LARGE),
};

await withPage(async (page) => {
  const zip = zipSync(Object.fromEntries(Object.entries(FILES).map(([path, text]) => [path, strToU8(text)])));
  const made = await fetch(`${server}/api/v1/applications`, { method: "POST", body: zip, headers: { "Content-Type": "application/zip" } });
  assert.equal(made.status, 201, await made.text());
  const editor = page.getByRole("textbox", { name: "definition of main" });
  const box = (name) => page.locator(`[data-state="${name}"]`);
  const chosen = page.getByRole("combobox", { name: "State" });
  const line = (text) => editor.locator(".cm-line", { hasText: text }).first();

  step("the text follows the graph, and the graph the text");
  await page.goto(`${server}/ui/#/applications/drawn/workflows/main`);
  await box("Last").click();
  await page.locator(".react-flow__node.selected", { has: box("Last") }).waitFor();
  assert.equal(await chosen.inputValue(), "Last");
  await line('"First": ').click();
  await page.locator(".react-flow__node.selected", { has: box("First") }).waitFor();
  assert.equal(await chosen.inputValue(), "First");
  await accessible(page, "workflow-editor");

  step("what is no JSON stands at its place, and the graph stays");
  await line('"First": ').click();
  await page.keyboard.press("End");
  await page.keyboard.type("x");
  await page.getByRole("button", { name: "line 5" }).waitFor();
  await page.locator(".found", { hasText: '"First": ' }).waitFor();
  assert.equal(await box("Last").count(), 1);
  await page.keyboard.press("Backspace");
  await page.getByRole("button", { name: "line 5" }).waitFor({ state: "detached" });

  step("what the platform would refuse stands in text and graph");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("y");
  await page.locator(".state.faulty", { hasText: "First" }).waitFor();
  await page.locator(".found", { hasText: '"Lasty"' }).waitFor();
  await accessible(page, "workflow-refused");
  await page.keyboard.press("Backspace");
  await page.locator(".state.faulty").first().waitFor({ state: "detached" });

  step("a state is added, led elsewhere and taken out, by keyboard");
  await page.getByRole("button", { name: "Pass", exact: true }).focus();
  await page.keyboard.press("Enter");
  await box("Pass").waitFor();
  assert.equal(await chosen.inputValue(), "Pass");
  await page.getByText("The platform would take it.").waitFor();
  const leads = page.getByRole("combobox", { name: "leads to" });
  assert.equal(await leads.inputValue(), "Last");
  await leads.selectOption("the end");
  await page.getByRole("button", { name: "Lead there" }).click();
  await page.locator(".places li").first().waitFor();
  await leads.selectOption("Last");
  await page.getByRole("button", { name: "Lead there" }).click();
  await page.getByText("The platform would take it.").waitFor();
  await page.getByRole("button", { name: "Remove Pass" }).focus();
  await page.keyboard.press("Enter");
  await box("Pass").waitFor({ state: "detached" });
  assert.equal(await chosen.inputValue(), "", "nothing is chosen, to be removed by the next press");
  assert.equal(await chosen.evaluate((list) => list === document.activeElement), true);
  await page.getByRole("button", { name: "Undo" }).click();
  await box("Pass").waitFor();
  await page.getByRole("button", { name: "Redo" }).click();
  await box("Pass").waitFor({ state: "detached" });

  step("and by mouse, into the graph; typed text and numbers stay as they were");
  await page.getByRole("button", { name: "Task", exact: true }).dragTo(box("Last"));
  await box("Task").waitFor();
  await page.locator(".react-flow__node.selected", { has: box("Task") }).waitFor();
  assert.match((await editor.locator(".cm-line").allInnerTexts()).join("\n"), /12345678901234567890/);
  await page.getByText("The platform would take it.").waitFor();
  await accessible(page, "workflow-built");

  step("a state is tried alone, as it is typed");
  await box("First").click();
  await page.getByText("Test First alone").click();
  await page.getByLabel("What it is given, as JSON").fill("12345678901234567890");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByText("It succeeds, and Last is next.").waitFor();
  assert.match(await page.getByLabel("what came of the test").innerText(), /"output": 12345678901234567890/);
  await page.getByLabel("A grain that it calls gives").selectOption("an error");
  await page.getByLabel("The error, as JSON").fill('{"error": "Full", "cause": "no room"}');
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByText("It fails with Full, and the execution with it.").waitFor();
  await accessible(page, "workflow-state");
  await box("Task").click();

  step("saved as a version, and run");
  await page.getByRole("button", { name: "Save as a version" }).click();
  await page.getByText(/Version \d+ is live\./).waitFor();
  assert.equal(await chosen.inputValue(), "Task", "the caret stays where it was");
  await page.getByLabel("Input, as JSON").fill("1");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator(".facts .badge", { hasText: "succeeded" }).waitFor();
  assert.equal(await page.getByLabel("the output", { exact: true }).innerText(), "4");
  await page.goBack();
  assert.equal(await page.getByLabel("Input, as JSON").inputValue(), "1", "what was typed stays");
  await fitsPhone(page, server, ["#/applications/drawn/workflows/main"]);

  step("on a phone a large one has states that a finger hits; the keyboard comes to those that are not seen at first, and so does the list");
  const large = await fetch(`${server}/invoke/drawn/large`, { method: "POST", body: '{"items": [1, 2], "fail": true}', headers: { "Content-Type": "application/json" } });
  assert.equal(large.status, 200, await large.text());
  await page.setViewportSize({ width: 320, height: 480 });
  await page.goto(`${server}/ui/#/applications/drawn/executions/${large.headers.get("Sand-Execution-Id")}`);
  await page.locator('[data-state="Last"][data-status="succeeded"]').waitFor();
  const heights = await page.locator(".react-flow__node:has(> .state)").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  assert.ok(heights.length === 9 && heights.every((height) => height >= 24), `${heights}`);
  await accessible(page, "execution-phone");
  const graph = await page.locator(".graph").boundingBox();
  assert.ok(graph.height < 480 * 0.7, "beside it there is page to scroll by");
  const isSeen = (name) => page.waitForFunction(([name]) => {
    const [one, room] = [`[data-state="${name}"]`, ".graph"].map((found) => document.querySelector(found).getBoundingClientRect());
    return one.top >= room.top && one.top + 24 <= room.bottom && one.left >= room.left;
  }, [name]);
  await isSeen("First");
  await page.locator('.react-flow__node:has([data-state="First"])').focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowDown");
  await isSeen("Last");
  await page.getByRole("combobox", { name: /^State/ }).selectOption({ value: "First" });
  await isSeen("First");
  await page.goto(`${server}/ui/#/applications/drawn/workflows/large`);
  await box("Last").waitFor();
  await accessible(page, "workflow-phone");
});
console.log("walked");
