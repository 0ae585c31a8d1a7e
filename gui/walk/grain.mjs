// A failing grain, found by its execution, mended in the browser and redriven. Deploys what it needs. Usage: grain.mjs SERVER.
import assert from "node:assert/strict";
import { strToU8, zipSync } from "fflate";
import { accessible, fitsPhone, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const status = (page, text) => page.locator(".facts .badge", { hasText: text }).waitFor();
const FILES = {
  "sand.yaml": "name: mended\n",
  "grains/share/handler.py": 'def handle(event, context):\n    context.logger.info("sharing")\n    return {"each": 12 / event["among"] + missing}\n',
  "workflows/main.asl.json": '{"StartAt": "Share", "States": {"Share": {"Type": "Task", "Resource": "share", "End": true}}}\n',
};

/** Of that version, as somebody else would. */
async function save(base, files) {
  const answer = await fetch(`${server}/api/v1/applications/mended/edits`, { method: "POST", body: JSON.stringify({ base, files }), headers: { "Content-Type": "application/json" } });
  assert.equal(answer.status, 201, await answer.text());
}

await withPage(async (page) => {
  const zip = zipSync(Object.fromEntries(Object.entries(FILES).map(([path, text]) => [path, strToU8(text)])));
  const made = await fetch(`${server}/api/v1/applications`, { method: "POST", body: zip, headers: { "Content-Type": "application/zip" } });
  assert.equal(made.status, 201, await made.text());
  const editor = page.getByRole("textbox", { name: "grains/share/handler.py" });
  const code = async () => (await editor.locator(".cm-line").allInnerTexts()).join("\n");
  const type = async (line, text) => {
    await editor.locator(".cm-line").nth(line).click();
    await page.keyboard.press("End");
    await page.keyboard.type(text);
  };

  step("an execution that failed leads to the line in the editor");
  await fetch(`${server}/invoke/mended/main`, { method: "POST", body: '{"among": 4}', headers: { "Content-Type": "application/json" } });
  await page.goto(`${server}/ui/#/applications/mended/executions`);
  await page.locator("tbody a").first().click();
  await page.getByRole("heading", { name: "NameError" }).waitFor();
  const execution = page.url();
  assert.match(await page.getByLabel("Stack trace").innerText(), /File "grains\/share\/handler.py", line 3/, "the file as its author knows it");
  await page.getByRole("link", { name: "grains/share/handler.py, line 3" }).click();
  await page.locator(".found", { hasText: "missing" }).waitFor();
  await accessible(page, "grain-failed");

  step("mended by keyboard; what is typed survives a reload");
  await editor.focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  for (let i = 0; i < "} + missing".length - 1; i++) await page.keyboard.press("Backspace");
  await page.keyboard.type("}");
  await page.getByText("1 file differs from version 1").waitFor();
  const mended = await code();
  await page.reload();
  await page.getByText("1 file differs from version 1").waitFor();
  await editor.waitFor();
  assert.equal(await code(), mended);

  step("Escape, then Tab, leaves the editor");
  await page.getByRole("button", { name: "Save as a version" }).waitFor();
  await editor.focus();
  await page.keyboard.press("Tab");
  assert.equal(await editor.evaluate((content) => content === content.getRootNode().activeElement), true, "Tab indents");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.equal(await editor.evaluate((content) => content === content.getRootNode().activeElement), false);

  step("what does not compile is refused, with its line, and nothing is lost");
  await type(0, "\nthis was nothing");
  await page.getByRole("button", { name: "Save as a version" }).click();
  await page.getByRole("button", { name: /^grains\/share\/handler.py, line 2/ }).waitFor();
  await page.locator(".found", { hasText: "this was nothing" }).waitFor();
  await accessible(page, "grain-refused");
  await editor.locator(".cm-line").nth(1).click();
  await page.keyboard.press("Control+z");
  while ((await code()) !== mended) await page.keyboard.press("Control+z");

  step("somebody else saves meanwhile: the difference is shown, and nothing is lost");
  await save(1, { "grains/share/handler.py": FILES["grains/share/handler.py"].replace("sharing", "sharing it") });
  await page.getByRole("heading", { name: "Version 2 is live by now" }).waitFor();
  await accessible(page, "grain-meanwhile");
  await page.getByRole("button", { name: "Keep mine" }).click();
  await editor.focus();
  await page.keyboard.press("Control+s");
  await page.getByText("Version 3 is live.").waitFor();
  assert.equal(await code(), mended);
  await accessible(page, "grain-saved");

  step("the execution, redriven with what was mended");
  await page.goto(execution);
  await page.getByRole("button", { name: "Redrive with version 3" }).click();
  await status(page, "succeeded");
  assert.match(await page.getByLabel("the output", { exact: true }).innerText(), /"each": 3/);

  step("a test of it: result, logs and where the time went, beside the code");
  await page.goto(`${server}/ui/#/applications/mended/grains/share`);
  await page.getByLabel("Input, as JSON").fill('{"among": 6}');
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByLabel("the output", { exact: true }).waitFor();
  assert.match(await page.getByLabel("the output", { exact: true }).innerText(), /"each": 2/);
  await page.getByLabel("Log lines").getByText("sharing").waitFor();
  await page.getByRole("region", { name: "Attempts" }).waitFor();
  await accessible(page, "grain-tested");
  await page.reload();
  assert.equal(await page.getByLabel("Input, as JSON").inputValue(), '{"among": 6}', "what was typed stays");

  step("what was refused goes with what was typed, when that is dropped");
  await type(0, "\nthis was nothing");
  await page.getByRole("button", { name: "Save as a version" }).click();
  const refused = page.getByRole("button", { name: /^grains\/share\/handler.py, line 2/ });
  await refused.waitFor();
  await page.getByRole("button", { name: "Drop what was typed" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Drop what was typed" }).press("Enter");
  await refused.waitFor({ state: "detached" });
  assert.equal(await page.getByRole("alert").count(), 0);
  assert.equal(await code(), mended);
  await fitsPhone(page, server, ["#/applications/mended/grains/share"]);
});
console.log("walked");
