// The GUI below a path of its own, behind a proxy that takes the path off, as docs/GUI.md says: pages, addresses that lead to them,
// streams and the API work there, and nothing is asked for above it.
// Usage: below.mjs SERVER, to which the application `gate` of tests/e2e/applications was deployed.
import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { once } from "node:events";
import { accessible, withPage } from "./browser.mjs";

const PREFIX = "/tools/sand";
const behind = new URL(process.argv[2]);
const step = (text) => console.log(text);
const missed = [];
const passed = [];

/** As nginx does with `location /tools/sand/ { proxy_pass SERVER/; proxy_set_header Host $http_host; proxy_buffering off; }`. */
const proxy = createServer((incoming, answer) => {
  if (incoming.url === PREFIX) {
    answer.writeHead(301, { Location: `${PREFIX}/` }).end();
    return;
  }
  if (!incoming.url.startsWith(`${PREFIX}/`)) {
    missed.push(incoming.url);
    answer.writeHead(404).end();
    return;
  }
  const path = incoming.url.slice(PREFIX.length);
  passed.push(path);
  const { method, headers } = incoming;
  const asked = request({ host: behind.hostname, port: behind.port, path, method, headers }, (found) => {
    answer.writeHead(found.statusCode, found.headers);
    answer.flushHeaders();
    found.pipe(answer);
  });
  asked.on("error", () => answer.destroy());
  answer.on("close", () => asked.destroy());
  incoming.pipe(asked);
}).listen(0, "127.0.0.1");
await once(proxy, "listening");
const server = `http://127.0.0.1:${proxy.address().port}${PREFIX}`;

try {
  await withPage(async (page) => {
    step("a browser that comes to the path is led to the GUI below it");
    await page.goto(server);
    assert.ok(page.url().startsWith(`${server}/ui/`), page.url());
    await page.getByRole("link", { name: "gate", exact: true }).click();
    await page.getByRole("heading", { name: "gate", exact: true }).waitFor();
    await page.getByRole("rowheader", { name: "check" }).waitFor();
    assert.ok(page.url().startsWith(`${server}/ui/`), page.url());

    step("a run is watched as it goes: its stream comes through");
    await page.getByRole("link", { name: "main", exact: true }).click();
    await page.getByLabel("Input, as JSON").fill('{"name": "Ada"}');
    await page.keyboard.press("Control+Enter");
    await page.locator('[data-state="Pause"][data-status="running"]').waitFor();
    await page.locator("dd", { hasText: "live" }).waitFor();
    await accessible(page, "below");
    await page.locator(".facts .badge", { hasText: "succeeded" }).waitFor();
    await page.locator('[data-state="Check"][data-status="succeeded"]').waitFor();
    assert.ok(passed.some((path) => /^\/api\/v1\/applications\/gate\/invocations\/[^/]+\/events/.test(path)), "an event stream went through");

    step("its commands name the path too");
    await page.locator("details.curl summary").last().click();
    const command = await page.locator("details.curl pre").last().innerText();
    assert.ok(command.includes(server), command);

    step("addresses lead to their pages from elsewhere");
    const execution = page.url();
    for (const [address, heading] of [[execution, /^Execution /], [`${server}/ui/#/hosts`, "Hosts"], [`${server}/ui/#/deploy`, /Deploy|New application/]]) {
      await page.goto("about:blank");
      await page.goto(address);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      assert.ok(page.url().startsWith(`${server}/ui/`), page.url());
    }

    step("what is loaded late, and the log, come from below it");
    await page.goto(`${server}/ui/#/applications/gate/grains/greet`);
    await page.getByRole("textbox", { name: "grains/greet/handler.py" }).waitFor();
    await page.goto(`${server}/ui/#/applications/gate/logs`);
    await page.getByText("greeting Ada").first().waitFor();

    step("and nothing was asked for above it");
    assert.deepEqual(missed.filter((path) => path !== "/favicon.ico"), []);
  });
} finally {
  proxy.closeAllConnections();
  proxy.close();
}
console.log("walked");
