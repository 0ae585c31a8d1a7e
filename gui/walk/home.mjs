// Home: what applications did lately, in figures and over time. Usage: home.mjs SERVER, to which the application `gate` of
// tests/e2e/applications was deployed.
import assert from "node:assert/strict";
import { accessible, fitsPhone, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const invoke = (target, input) =>
  fetch(`${server}/invoke/gate/${target}`, { method: "POST", body: JSON.stringify(input), headers: { "Content-Type": "application/json" } });
/** Of the executions that the platform says ended, within the last five minutes. */
const told = async () => (await (await fetch(`${server}/api/v1/figures?minutes=5`)).json()).applications.find((one) => one.application === "gate");

await withPage(async (page) => {
  step("some executions, of which some fail");
  await invoke("open", { open: false });
  for (let i = 0; i < 20; i++) await invoke("greet", { name: "Ada" });
  for (let i = 0; i < 5; i++) assert.equal((await invoke("check", {})).ok, false);
  await invoke("open", { open: true });
  for (const began = Date.now(); ((await told())?.failed ?? 0) < 5; ) assert.ok(Date.now() - began < 30_000, "they are counted");

  step("home has them: rate, failures and latencies");
  await page.goto(`${server}/ui/#/?minutes=5`);
  const row = page.getByRole("row", { name: /^gate / });
  await row.getByText(/^\d+ \(\d+ %\)$/).waitFor();
  assert.equal(await row.getByText(/^≤ /).count(), 3);
  const one = await told();
  assert.ok(one.p50Ms <= one.p95Ms && one.p95Ms <= one.p99Ms, JSON.stringify(one));

  step("and over time, drawn and in words");
  const chart = page.getByRole("img", { name: /^Time to the end.*p50 ≤ .*p99 ≤ / });
  await chart.locator("canvas").waitFor();
  const rates = page.getByRole("img", { name: /^Executions a second: .* ended, \d+ \(\d+ %\) failed/ });
  // The first step is over after ten seconds at most, and then there is a line.
  await page.waitForFunction(() => {
    const canvas = document.querySelector(".chart canvas");
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const blue = getComputedStyle(document.querySelector(".key.run")).color.match(/\d+/g).slice(0, 3).map(Number);
    for (let i = 0; i < pixels.length; i += 4) if (blue.every((value, at) => Math.abs(pixels[i + at] - value) < 8) && pixels[i + 3] > 200) return true;
    return false;
  });
  assert.equal(await rates.count(), 1);
  await accessible(page, "home-lately");

  step("the window is chosen by keyboard, and is in the address");
  await page.getByLabel("Window").focus();
  await page.keyboard.press("ArrowDown");
  await page.waitForURL(/minutes=15/);
  await page.getByText("in steps of 20 s").waitFor();
  assert.match(await page.locator(".curl", { hasText: "figures" }).first().textContent(), /figures\?minutes=15/);

  step("what does not answer says so, and applications are there all the same");
  await page.route("**/api/v1/figures*", (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify({ title: "Not available now", detail: "away", status: 503 }) }));
  await page.goto("about:blank");
  await page.goto(`${server}/ui/#/`);
  await page.getByRole("alert").getByText("away").waitFor();
  await page.getByRole("link", { name: "gate", exact: true }).waitFor();
  await page.unroute("**/api/v1/figures*");
  await page.goto("about:blank");
  await fitsPhone(page, server, ["#/", "#/?minutes=60"]);
  await chart.locator("canvas").waitFor();
  const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(wide <= screen, `with charts it is ${wide} wide on a screen of ${screen}`);
});
console.log("walked");
