// The applications that come with the page: each deployed with one click, and run. Usage: examples.mjs SERVER.
import assert from "node:assert/strict";
import { accessible, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const output = async (page) => {
  await page.locator(".facts .badge", { hasText: "succeeded" }).waitFor();
  return JSON.parse(await page.getByLabel("the output", { exact: true }).innerText());
};

await withPage(async (page) => {
  step("three examples, one click each");
  await page.goto(`${server}/ui/`);
  for (const title of ["Web site", "Mail scanner", "Stream analytics"]) {
    const card = page.locator(".example", { hasText: title });
    await card.getByRole("button", { name: `Deploy ${title}` }).click();
    await card.getByRole("link", { name: "See it" }).waitFor();
  }
  await accessible(page, "examples");

  step("the web site has its pages");
  const address = await page.getByRole("link", { name: "Open its pages" }).getAttribute("href");
  assert.match(await (await fetch(address)).text(), /<html/);

  step("the mail scanner finds what is wrong with its first message");
  await page.locator(".example", { hasText: "Mail scanner" }).getByRole("link", { name: "Run it" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  assert.deepEqual((await output(page)).findings.map((finding) => finding.rule).sort(), ["disguised-link", "no-message-id", "numeric-host", "other-domain"]);

  step("the stream's words are counted; again with another input");
  await page.goto(`${server}/ui/`);
  await page.locator(".example", { hasText: "Stream analytics" }).getByRole("link", { name: "Run it" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const found = await output(page);
  assert.deepEqual([found.messages, found.kept, found.words.length], [42, 26, 10]);
  await accessible(page, "execution-map");
  await page.getByRole("link", { name: "Edit it and run again" }).click();
  const field = page.getByLabel("Input, as JSON");
  assert.deepEqual(JSON.parse(await field.inputValue()), { language: "en", top: 10 });
  await field.fill('{"language": "de", "top": 1}');
  await page.getByRole("button", { name: "Run", exact: true }).click();
  assert.equal((await output(page)).kept, 6);
});
console.log("walked");
