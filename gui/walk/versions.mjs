// Versions of an application, which this walk deploys by itself. Usage: versions.mjs SERVER.
import assert from "node:assert/strict";
import { strToU8, zipSync } from "fflate";
import { LONG_WORD, accessible, fitsPhone, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const LONG_PATH = `${LONG_WORD}/${LONG_WORD}`;
const GRAIN = "def handle(event, context):\n    return ";

async function deploy(files) {
  const zip = zipSync(Object.fromEntries(Object.entries({ "sand.yaml": "name: versioned\n", ...files }).map(([path, text]) => [path, strToU8(text)])));
  const answer = await fetch(`${server}/api/v1/applications`, { method: "POST", body: zip, headers: { "Content-Type": "application/zip" } });
  assert.equal(answer.status, 201, await answer.text());
}
const ask = async (target) => (await fetch(`${server}/invoke/versioned/${target}`, { method: "POST" })).json();

await withPage(async (page) => {
  await deploy({ "grains/tell/handler.py": `${GRAIN}"one"\n`, "page.html": "<script>window.ran = 1</script>", [LONG_PATH]: "one", data: "\0\u0001" });
  await deploy({ "grains/tell/handler.py": `${GRAIN}"two"\n`, "page.html": "<script>window.ran = 2</script>", [LONG_PATH]: "two" });

  step("what a version changed, against the one that is live");
  await page.goto(`${server}/ui/#/applications/versioned`);
  await page.getByRole("link", { name: "Versions", exact: true }).click();
  await page.getByRole("link", { name: "compare with live" }).click();
  await page.getByText("4 files differ, 1 as before").waitFor();
  const lines = page.getByLabel("Differences of grains/tell/handler.py");
  assert.match(await lines.locator(".removed").innerText(), /return "two"/);
  assert.match(await lines.locator(".added").innerText(), /return "one"/);
  const path = page.locator("summary", { hasText: LONG_PATH });
  assert.ok(await path.evaluate((box) => box.scrollWidth <= box.clientWidth), "a long path is seen to its end");
  await accessible(page, "versions");

  step("rolled back, and live again");
  await page.getByRole("button", { name: "Roll back live" }).click();
  await page.getByText("live is version 1").waitFor();
  assert.equal(await ask("tell"), "one");
  await page.getByRole("button", { name: "Make version 2 live" }).press("Enter");
  await page.getByRole("row", { name: /^Version 2 live/ }).waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === "live is version 2");
  assert.equal(await ask("tell"), "two");

  step("an alias of one's own, made and removed");
  await page.getByRole("textbox", { name: "Alias" }).fill("beta");
  await page.getByRole("combobox", { name: "at" }).selectOption("version 1");
  await page.getByRole("button", { name: "Point it there" }).click();
  await page.getByRole("row", { name: /^Version 1 beta/ }).waitFor();
  assert.equal(await ask("tell@beta"), "one");
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("row", { name: /^Version 1 beta/ }).waitFor({ state: "detached" });

  step("who moved what");
  const moves = page.getByRole("region", { name: "Table of moves of aliases" });
  await moves.getByRole("row", { name: /beta removed this machine$/ }).waitFor();
  await moves.getByRole("row", { name: /live version 2 this machine$/ }).waitFor();
  await moves.getByRole("row", { name: /live version 1 this machine$/ }).waitFor();

  step("its files: text as text, whatever it says, and how much of what is none");
  await page.getByRole("link", { name: "Version 1" }).click();
  await page.getByRole("link", { name: "page.html" }).click();
  assert.equal(await page.getByLabel("the text of page.html", { exact: true }).innerText(), "<script>window.ran = 1</script>");
  assert.equal(await page.evaluate(() => window.ran), undefined);
  await accessible(page, "version-file");
  await page.getByRole("link", { name: "data", exact: true }).click();
  await page.getByText("2 B that are no text.").waitFor();
  await page.goto(`${server}/ui/#/applications/versioned/versions/9`);
  await page.getByRole("alert").waitFor();
  await fitsPhone(page, server, ["#/applications/versioned/versions?from=1&to=2", "#/applications/versioned/versions/1?path=page.html"]);
});
console.log("walked");
