// Deployments from the browser, on a running platform to which the application `gate` was deployed from FOLDER.
// Usage: upload.mjs SERVER FOLDER.
import assert from "node:assert/strict";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { accessible, fitsPhone, withPage } from "./browser.mjs";

const [, , server, gate] = process.argv;
const step = (text) => console.log(text);
const work = mkdtempSync(join(tmpdir(), "sand-upload-"));

/** By keyboard: the button is reached and pressed, and the browser's own chooser answers. */
async function choose(page, button, files) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: button }).focus();
  await page.keyboard.press("Enter");
  await (await chooser).setFiles(files);
}

/** Let go anywhere on the page. */
const drop = (page, name, text) =>
  page.evaluate(
    ([fileName, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], fileName));
      document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, text],
  );

try {
  await withPage(async (page) => {
    step("from nothing to a workflow that runs, by keyboard alone");
    await page.goto(`${server}/ui/`);
    await page.getByRole("link", { name: "New application" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Begin with an example" }).focus();
    await accessible(page, "deploy");
    await page.keyboard.press("Enter");
    await page.getByLabel("Its name").fill("gate");
    assert.equal(await page.getByRole("button", { name: "Look at it" }).isDisabled(), true, "a name that is taken");
    await page.getByLabel("Its name").fill("walked");
    await page.keyboard.press("Enter");
    await page.getByText("4 added, 0 changed, 0 removed").waitFor();
    await accessible(page, "deploy-new");
    await page.getByRole("button", { name: "Deploy", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Version 1 of walked is live.").waitFor();
    assert.match(await page.getByRole("log").innerText(), /grain greet: imports/);
    await accessible(page, "deploy-done");
    await page.getByRole("link", { name: "Run main" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Input, as JSON").fill('{"name": "Ada"}');
    await page.keyboard.press("Control+Enter");
    await page.locator(".facts .badge", { hasText: "succeeded" }).waitFor();
    assert.match(await page.getByLabel("the output", { exact: true }).innerText(), /HELLO, ADA!/);

    step("a folder: what it would change is seen before anything is built");
    const folder = join(work, "gate");
    cpSync(gate, folder, { recursive: true });
    appendFileSync(join(folder, "grains/greet/handler.py"), "# <b>markup</b>\n");
    mkdirSync(join(folder, "__pycache__"), { recursive: true });
    writeFileSync(join(folder, "__pycache__/left.pyc"), "x");
    writeFileSync(join(folder, "<img src=x>.txt"), "x");
    await page.goto(`${server}/ui/#/applications/gate`);
    await page.getByRole("link", { name: "Deploy a version" }).click();
    await choose(page, "Choose a folder", folder);
    await page.getByText("1 added, 1 changed, 0 removed").waitFor();
    const changed = page.getByLabel("Differences of grains/greet/handler.py");
    assert.match(await changed.locator(".added").innerText(), /# <b>markup<\/b>/);
    assert.equal(await page.locator("main b, main img").count(), 0, "names and contents are text");
    await accessible(page, "deploy-differences");
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText("Version 2 of gate is live.").waitFor();

    step("a single grain is dropped into an application; the rest of it stays");
    await drop(page, "extra.py", 'def handle(event, context):\n    return "extra"\n');
    await page.getByText("grains/extra/handler.py").first().waitFor();
    await page.getByRole("button", { name: "Look at it" }).click();
    await page.getByText("new: extra").waitFor();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText("Version 3 of gate is live.").waitFor();

    step("a file that is no UTF-8 goes as it is, and no text of it is shown");
    const latin = Buffer.from("# coding: latin-1\ndef handle(event, context):\n    return 'caf\xe9'\n", "latin1");
    writeFileSync(join(work, "latin.py"), latin);
    await choose(page, "Choose files", join(work, "latin.py"));
    await page.getByText("grains/latin/handler.py").first().waitFor();
    await page.getByRole("button", { name: "Look at it" }).click();
    await page.locator("summary", { hasText: "grains/latin/handler.py" }).click();
    await page.getByText("It is no text in UTF-8").waitFor();
    await page.getByRole("button", { name: "Deploy", exact: true }).click();
    await page.getByText("Version 4 of gate is live.").waitFor();
    const there = await fetch(`${server}/api/v1/applications/gate/versions/live/file?path=grains/latin/handler.py`);
    assert.deepEqual(Buffer.from(await there.arrayBuffer()), latin);
    assert.equal(await (await fetch(`${server}/invoke/gate/latin`, { method: "POST", body: "1" })).json(), "café");

    step("back to what was deployed before: no build, the version that it was");
    await choose(page, "Choose a folder", gate);
    await page.getByRole("button", { name: "Make version 1 live" }).click();
    await page.getByText("Version 1 of gate is live.").waitFor();

    step("what is no application says why, with each finding");
    await choose(page, "Choose a folder", join(gate, "grains"));
    await page.getByRole("alert").getByText("There is no sand.yaml in it").waitFor();
    await drop(page, "README.md", "# no grain");
    await page.getByRole("alert").getByText('"README.md" is no grain').waitFor();
    writeFileSync(join(folder, "sand.yaml"), "name: gate\nroutes: [{path: /a, target: nobody}]\ntriggers: {t: {every: 1s, target: nobody}}\n");
    await choose(page, "Choose a folder", folder);
    await page.getByRole("alert").getByText("/routes/0/target").first().waitFor();
    await accessible(page, "deploy-findings");
    for (const [name, bytes] of [["no.zip", strToU8("no zip")], ["out.zip", zipSync({ "sand.yaml": strToU8("name: out\n"), "../out": strToU8("x") })]]) {
      writeFileSync(join(work, name), bytes);
      await choose(page, "Choose files", join(work, name));
      await page.getByRole("alert").getByText("The archive is refused", { exact: true }).waitFor();
      assert.equal(await page.getByRole("button", { name: "Deploy", exact: true }).isDisabled(), true);
    }
    await fitsPhone(page, server, ["#/deploy", "#/deploy?into=gate"]);
  });
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log("walked");
