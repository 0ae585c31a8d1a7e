// Ten thousand executions listed: scrolled from the newest to the oldest, with few rows on the page. Usage: many.mjs SERVER COUNT.
import assert from "node:assert/strict";
import { strToU8, zipSync } from "fflate";
import { accessible, fitsPhone, withPage } from "./browser.mjs";

const [, , server, count] = process.argv;
const MOST_ROWS = 100;
const AT_ONCE = 64;
const step = (text) => console.log(text);

async function invoke() {
  const answer = await fetch(`${server}/invoke/many/same`, { method: "POST", body: "1", headers: { "Content-Type": "application/json" } });
  await answer.arrayBuffer();
  assert.equal(answer.status, 200);
}

await withPage(async (page) => {
  const zip = zipSync({ "sand.yaml": strToU8("name: many\n"), "grains/same/handler.py": strToU8("def handle(event, context):\n    return event\n") });
  const made = await fetch(`${server}/api/v1/applications`, { method: "POST", body: zip, headers: { "Content-Type": "application/zip" } });
  assert.equal(made.status, 201, await made.text());
  step(`${count} executions`);
  let left = Number(count);
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (left-- > 0) await invoke();
  }));

  step("the newest are there at once, the others as the list is scrolled");
  await page.goto(`${server}/ui/#/applications/many/executions`);
  const list = page.getByRole("region", { name: "Executions" });
  await list.getByRole("rowheader").first().waitFor();
  await accessible(page, "executions-many");
  await list.focus();
  const whole = page.getByText(`${Number(count).toLocaleString("en")} executions`, { exact: true });
  for (let i = 0; i < 1_000 && (await whole.count()) === 0; i++) {
    await page.keyboard.press("End");
    await page.waitForTimeout(50);
    const rows = await list.locator("tbody tr").count();
    assert.ok(rows <= MOST_ROWS, `${rows} rows are on the page`);
  }
  await whole.waitFor();
  await page.keyboard.press("End");
  await list.locator(`tr[aria-rowindex="${Number(count) + 1}"]`).waitFor();
  assert.equal(await list.locator("table").getAttribute("aria-rowcount"), String(Number(count) + 1));
  await accessible(page, "executions-many-end");

  step("each leads to its execution, and back to the newest");
  await page.getByRole("button", { name: "From the newest again" }).click();
  await list.getByRole("rowheader").first().getByRole("link").click();
  await page.locator(".facts .badge", { hasText: "succeeded" }).waitFor();
  await fitsPhone(page, server, ["#/applications/many/executions"]);
});
console.log("walked");
