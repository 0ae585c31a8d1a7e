// Data of an application: a value made, edited and deleted; one that somebody else changed meanwhile. Usage: data.mjs SERVER, to which
// the application `gate` of tests/e2e/applications was deployed.
import assert from "node:assert/strict";
import { LONG_WORD, accessible, commanded, fitsPhone, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const at = (key) => `${server}/api/v1/applications/gate/data/value?${new URLSearchParams({ key })}`;
const put = (key, body, type = "application/json") => fetch(at(key), { method: "PUT", body, headers: { "Content-Type": type } });

await withPage(async (page) => {
  step("keys by prefix");
  for (const key of ["walk/1", "walk/<b>2</b>", "walk/3\n\t4", "other"]) assert.equal((await put(key, '{"big": 12345678901234567890}')).status, 200);
  await page.goto(`${server}/ui/#/applications/gate`);
  await page.getByRole("link", { name: "Data", exact: true }).click();
  await page.getByRole("link", { name: "other", exact: true }).waitFor();
  await page.getByRole("searchbox").fill("walk/");
  await page.getByRole("link", { name: "other", exact: true }).waitFor({ state: "detached" });
  await page.waitForURL(/prefix=walk/);
  await page.getByRole("link", { name: "walk/<b>2</b>" }).waitFor();
  assert.equal(await page.locator("main b").count(), 0, "a key is text");
  assert.match(await page.locator("tbody").innerText(), /walk\/3\\n\\t4/, "and looks like no other");
  await accessible(page, "data");

  step("one is edited by keyboard, and has another version");
  await page.getByRole("link", { name: "walk/1", exact: true }).focus();
  await page.keyboard.press("Enter");
  const value = page.getByLabel("Value, as JSON");
  await value.waitFor();
  assert.equal(await value.inputValue(), '{"big": 12345678901234567890}', "no digit is lost");
  await accessible(page, "data-value");
  await value.fill("{");
  assert.equal(await page.getByRole("button", { name: "Save", exact: true }).isDisabled(), true);
  await value.fill('{"edited": true}');
  const saved = page.waitForResponse((response) => response.request().method() === "PUT");
  await page.keyboard.press("Control+Enter");
  const tag = (await saved).headers().etag;
  await page.locator(".facts dd", { hasText: tag.replaceAll('"', "") }).first().waitFor();
  assert.equal(await (await fetch(at("walk/1"))).text(), '{"edited": true}');

  step("who was overtaken is told how both differ, and keeps what was typed, over a reload too");
  await value.fill('{"mine": 1}');
  await put("walk/1", '{"theirs": 1}');
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Somebody else wrote it meanwhile").waitFor();
  assert.equal(await value.inputValue(), '{"mine": 1}');
  assert.equal(await (await fetch(at("walk/1"))).text(), '{"theirs": 1}');
  await page.locator(".change .removed", { hasText: '{"theirs": 1}' }).waitFor();
  await page.locator(".change .added", { hasText: '{"mine": 1}' }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Save", exact: true }).isDisabled(), true, "not before a choice");
  await accessible(page, "data-conflict");
  page.once("dialog", (dialog) => dialog.accept());
  await page.reload();
  await page.getByText("Somebody else wrote it meanwhile").waitFor();
  assert.equal(await value.inputValue(), '{"mine": 1}');

  step("it is edited on over what is stored by now, and saved");
  await value.fill('{"mine": 2}');
  await page.locator(".change .added", { hasText: '{"mine": 2}' }).waitFor();
  await page.getByRole("button", { name: "Keep mine, to be saved over it" }).click();
  await page.getByText("Somebody else wrote it meanwhile").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.id === "data-value");
  const savedOver = page.waitForResponse((response) => response.request().method() === "PUT");
  await page.keyboard.press("Control+Enter");
  assert.equal((await savedOver).ok(), true);
  await page.getByText("kept in this tab until saved").waitFor({ state: "detached" });
  assert.equal(await (await fetch(at("walk/1"))).text(), '{"mine": 2}');

  step("or what is stored is taken");
  await value.fill('{"mine": 3}');
  await put("walk/1", '{"theirs": 2}');
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Drop mine and take what is stored" }).click();
  await page.waitForFunction(() => document.querySelector("#data-value")?.value === '{"theirs": 2}');

  step("what was deleted meanwhile is made anew, if whoever typed wants that");
  await value.fill('{"mine": 4}');
  assert.equal((await fetch(at("walk/1"), { method: "DELETE" })).status, 204);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("It was deleted meanwhile").waitFor();
  await page.getByRole("button", { name: "Keep mine, to be saved anew" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("none yet").waitFor({ state: "detached" });
  assert.equal(await (await fetch(at("walk/1"))).text(), '{"mine": 4}');

  step("it is deleted after a question");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("none yet").waitFor();
  assert.equal((await fetch(at("walk/1"))).status, 404);

  step("of a key without a value nothing is wrong before something was typed, and nothing can be saved");
  const fault = page.locator("#data-value-fault");
  assert.equal(await fault.innerText(), "");
  assert.equal(await value.getAttribute("aria-invalid"), "false");
  assert.equal(await page.getByRole("button", { name: "Save", exact: true }).isDisabled(), true);
  await value.fill("{");
  await fault.filter({ hasText: "JSON" }).waitFor();
  await value.fill("");
  await fault.filter({ hasText: /^$/ }).waitFor();

  step("and made again");
  await value.fill("7");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("none yet").waitFor({ state: "detached" });
  assert.equal(await (await fetch(at("walk/1"))).text(), "7");

  step("a key that begins as an option does is none in the command that is shown");
  await put("--help", '"helped"');
  await page.goto(`${server}/ui/#/applications/gate/data?prefix=--&key=--help`);
  await page.waitForFunction(() => document.querySelector("#data-value")?.value === '"helped"');
  assert.equal((await commanded(page, "value")).trim(), '"helped"');
  assert.match(await commanded(page, ""), /^--help$/m);

  step("bytes are not shown as text, and can be had");
  await put("walk/bytes", new Uint8Array([255, 254, 0]), "application/octet-stream");
  await page.goto(`${server}/ui/#/applications/gate/data?key=walk/bytes`);
  await page.getByText("3 B of application/octet-stream: no text.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Save", exact: true }).count(), 0);
  await page.getByRole("link", { name: "Download it" }).waitFor();

  step("a long key in a heading, and a long name in a sentence, widen no page of a phone");
  await put(LONG_WORD, "1");
  await fitsPhone(page, server, ["#/applications/gate/data?prefix=walk", "#/applications/gate/data?key=walk/1", `#/applications/gate/data?prefix=walk&key=${LONG_WORD}`, `#/applications/gate/workflows/${LONG_WORD}`]);
  await page.getByRole("alert").filter({ hasText: LONG_WORD }).waitFor();
});
console.log("walked");
