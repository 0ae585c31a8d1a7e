// Hosts and cloud processes of a running platform to which examples/chat was deployed. Usage: processes.mjs SERVER.
import assert from "node:assert/strict";
import { accessible, fitsPhone, goneAlone, landed, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const call = (room, grain, input) =>
  fetch(`${server}/api/v1/applications/chat/processes/invoke?function=${grain}`, {
    method: "POST",
    body: JSON.stringify(input),
    headers: { "Content-Type": "application/json", "Sand-Process": room },
  });

await withPage(async (page) => {
  step("an application without a process says what one is");
  await page.goto(`${server}/ui/#/applications/chat/processes`);
  await page.getByText("There is none yet.").waitFor();
  await accessible(page, "processes-none");

  step("one is made, by keyboard; an id that cannot be is not sent");
  await page.getByLabel("Its id").fill("kitchen/2");
  assert.equal(await page.getByRole("button", { name: "Make it" }).isDisabled(), true);
  await page.getByLabel("Its id").fill("kitchen");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "kitchen", level: 1 }).waitFor();

  step("where there is no other host it says that it cannot be migrated; of several one is chosen, by the platform where they are not to be seen");
  await page.getByText("It cannot be migrated: there is no other host.").waitFor();
  const migrate = page.getByRole("button", { name: "Migrate" });
  assert.equal(await migrate.count(), 0);
  await page.route("**/api/v1/status", async (route) => {
    const answer = await route.fetch();
    const found = await answer.json();
    await route.fulfill({ response: answer, json: { ...found, hosts: [...found.hosts, { ...found.hosts[0], host: "second" }] } });
  });
  const toHost = page.getByRole("combobox", { name: /^to/ });
  await toHost.selectOption("second");
  await page.unroute("**/api/v1/status");
  await migrate.waitFor({ state: "detached" });
  await page.route("**/api/v1/status", (route) => route.fulfill({ status: 403, json: { type: "about:blank", title: "Not allowed", status: 403, detail: "no", source: "caller", retryable: false } }));
  await page.reload();
  await migrate.waitFor();
  assert.equal(await toHost.count(), 0);
  await page.unroute("**/api/v1/status");
  await page.reload();
  await migrate.waitFor({ state: "detached" });

  step("what it holds is seen as it changes");
  assert.equal((await call("kitchen", "join", { name: "Ada" })).status, 200);
  assert.equal((await call("kitchen", "say", { name: "Ada", text: "<b>hello</b>" })).status, 200);
  await page.getByText("1 key, ").waitFor();
  await page.locator("dd", { hasText: /^2$/ }).waitFor();
  await accessible(page, "process");

  step("what is in it: state and messages, as text and never as anything else");
  const keys = page.getByRole("region", { name: "Keys of its state" });
  await keys.getByRole("link", { name: "member/Ada" }).click();
  const value = page.getByRole("article", { name: "member/Ada" });
  await value.locator("pre", { hasText: "true" }).waitFor();
  const unread = page.getByRole("region", { name: "Unread messages" });
  await unread.getByRole("row", { name: /itself for\/Ada .* waits to be received/ }).getByRole("link").first().click();
  const message = page.getByRole("article", { name: /^Message \d+$/ });
  assert.match(await message.locator("pre").innerText(), /<b>hello<\/b>/);
  assert.equal(await page.locator("main b").count(), 0, "a value is text");
  await accessible(page, "process-inside");
  const inside = page.url();

  step("a long key in the heading of its value widens no page of a phone");
  const wide = "W".repeat(40);
  assert.equal((await call("kitchen", "join", { name: wide })).status, 200);
  await fitsPhone(page, server, [`#/applications/chat/processes/kitchen?key=member/${wide}`]);
  await page.getByRole("heading", { name: `member/${wide}`, level: 3 }).waitFor();
  assert.equal((await call("kitchen", "leave", { name: wide })).status, 200);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(inside);

  step("it is swapped out, is looked into where it is, stays so, and comes back");
  await page.getByRole("button", { name: "Swap out" }).press("Enter");
  await page.locator(".facts .badge", { hasText: "swapped" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Swap in", "who pressed it is where he was");
  await keys.getByText("in the global data layer").waitFor();
  await page.reload();
  await value.locator("pre").waitFor();
  await page.locator(".facts .badge", { hasText: "swapped" }).waitFor();
  await message.locator("pre", { hasText: "hello" }).waitFor();
  await value.getByRole("link", { name: "Close" }).click();
  await value.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Swap in" }).click();
  await page.locator(".facts .badge", { hasText: /idle|active/ }).waitFor();
  await page.getByRole("button", { name: "Checkpoint" }).click();
  await page.getByText("checkpoint: done").waitFor();

  step("the list has it");
  await page.getByRole("link", { name: "Processes" }).first().click();
  await page.getByRole("rowheader", { name: "kitchen" }).waitFor();
  await accessible(page, "processes");

  step("hosts, with the sandbox that it runs in");
  await page.getByRole("link", { name: "Hosts" }).click();
  await page.getByRole("rowheader", { name: "chat", exact: true }).first().waitFor();
  await page.getByText("Workers and instances by grain").click();
  await page.getByRole("rowheader", { name: "chat/say" }).waitFor();
  await accessible(page, "hosts");

  step("the one host is not drained, for nobody would be left; it is said, and how to do it otherwise");
  await page.getByRole("button", { name: "Drain" }).click();
  const drain = page.getByRole("dialog", { name: "Drain local?" });
  await drain.waitFor();
  await accessible(page, "host-drain");
  await page.keyboard.press("Escape");
  await page.getByText("drain as curl, as command").click();
  await page.getByText(/ host drain local$/).waitFor();
  await page.getByRole("button", { name: "Drain" }).click();
  await drain.getByRole("button", { name: "Drain" }).click();
  await page.getByRole("alert").filter({ hasText: "only one that takes work" }).waitFor();

  step("of several hosts, as a cluster tells of them: one drained, one that drains, and what is left on it");
  const asked = [];
  let isDrained = true;
  await page.route("**/api/v1/status", async (route) => {
    const answer = await route.fetch();
    const found = await answer.json();
    const place = { address: "host:7264", labels: ["ssd"], busy: 0.25, slots: [] };
    const second = { host: "second", state: "draining", sandboxKind: "docker", draining: true, place: { ...place, slots: [3, 4] }, sandboxes: found.hosts[0].sandboxes.filter((each) => each.state !== "none").slice(0, 1) };
    const third = { host: "third", state: isDrained ? "drained" : "up", sandboxKind: "docker", draining: isDrained, place, sandboxes: [] };
    await route.fulfill({ response: answer, json: { ...found, hosts: [...found.hosts, second, third] } });
  });
  await page.route("**/api/v1/hosts/**", async (route) => {
    asked.push(`${route.request().method()} ${new URL(route.request().url()).pathname}`);
    isDrained = asked.at(-1).endsWith("/drain");
    await route.fulfill({ status: 202, json: { host: "third", state: "up", slots: 0, sandboxes: 0, executions: 0, events: 0, applications: [] } });
  });
  await page.getByText("2 slots, 0 executions and 1 sandbox left").waitFor();
  await page.getByText("Nothing is on it any more").waitFor();
  await accessible(page, "hosts-drained");
  await Promise.all([page.waitForRequest("**/api/v1/hosts/third/resume"), page.getByRole("button", { name: "Resume third" }).press("Enter")]);
  await page.getByText("Nothing is on it any more").waitFor({ state: "detached" });
  await landed(page, /^third$/);

  step("by keyboard it is drained again, after a question");
  const third = page.getByRole("region", { name: "third", exact: true });
  await third.getByRole("button", { name: "Drain" }).press("Enter");
  await page.getByRole("dialog", { name: "Drain third?" }).getByRole("button", { name: "Drain" }).press("Enter");
  await third.getByRole("button", { name: "Resume third" }).waitFor();
  await landed(page, /^third$/);
  assert.deepEqual(asked, ["POST /api/v1/hosts/third/resume", "POST /api/v1/hosts/third/drain"]);
  await page.unroute("**/api/v1/status");
  await page.unroute("**/api/v1/hosts/**");

  step("nothing is killed without a question, which Escape answers with no");
  await page.goto(`${server}/ui/#/applications/chat/processes/kitchen`);
  await page.getByRole("button", { name: "Kill" }).click();
  await page.getByRole("dialog", { name: "Kill kitchen?" }).waitFor();
  await accessible(page, "process-kill");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.getByRole("button", { name: "Kill" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Kill" }).press("Enter");
  await page.getByText("There is none yet.").waitFor();
  await landed(page, /There is none yet/);

  step("who goes back to it sees that it is gone, and nothing of what it was");
  await page.goBack();
  await goneAlone(page, "Unknown process");
  await accessible(page, "process-gone");
  await fitsPhone(page, server, ["#/hosts", "#/applications/chat/processes", "#/applications/chat/processes/kitchen"]);
});
console.log("walked");
