// Two tenants, each with a user in a browser of its own: neither sees anything of the other, nor comes to it by an address.
// Usage: tenants.mjs SERVER, with a management that does operations and the operator's key in SAND_KEY.
import assert from "node:assert/strict";
import { accessible, withPage } from "./browser.mjs";

const server = process.argv[2];
const operator = process.env.SAND_KEY;
const step = (text) => console.log(text);
const PASSWORD = "walked through 4711";

async function ask(method, path, body, key = operator) {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  return fetch(`${server}${path}`, { method, headers, body: body && JSON.stringify(body) });
}
async function made(path, body) {
  const answer = await ask("POST", path, body);
  const found = await answer.json();
  assert.equal(answer.status, 201, JSON.stringify(found));
  return found;
}

/** Comes with an invitation, and makes an account. */
async function enter(page, name, invitation) {
  await page.goto(`${server}/ui/`);
  await page.getByRole("button", { name: "I have an invitation" }).click();
  const asked = page.getByRole("dialog", { name: "A new account" });
  await asked.getByLabel("Invitation").fill(invitation);
  await asked.getByLabel("Name").fill(name);
  await asked.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await asked.waitFor({ state: "hidden" });
}

async function signIn(page, name, password) {
  const asked = page.getByRole("dialog", { name: "Sign in" });
  await asked.getByLabel("Name").fill(name);
  await asked.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
  await asked.waitFor({ state: "hidden" });
}

/** What signing in is answered with. */
async function status(user, password) {
  return (await fetch(`${server}/api/v1/sessions`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name: user, password }) })).status;
}

async function deleteOne(page, row, name) {
  await row.getByRole("button", { name: "Delete" }).click();
  const asked = page.getByRole("dialog", { name: `Delete ${name}?` });
  await asked.getByLabel(/Type/).fill(name);
  await asked.getByRole("button", { name: "Delete" }).click();
}

/** With one click, from the first page. */
async function deployed(page, title) {
  await page.goto(`${server}/ui/#/`);
  const card = page.locator(".example", { hasText: title });
  await card.getByRole("button", { name: `Deploy ${title}` }).click();
  await card.getByRole("link", { name: "See it" }).click();
  await page.waitForURL(/#\/applications\/[a-z-]+$/);
  return page.url().split("/").at(-1);
}

/** Whatever it is, it is not there. */
async function isNotThere(page, address) {
  await page.goto("about:blank");
  const answers = [];
  page.on("response", (one) => one.url().includes("/api/v1/applications/") && answers.push(one.status()));
  await page.goto(`${server}/ui/${address}`);
  await page.getByRole("alert").filter({ hasText: /there is no|no application|not found|unknown/i }).first().waitFor();
  page.removeAllListeners("response");
  assert.deepEqual([...new Set(answers)], [404], address);
}

await withPage(async (page) => {
  const context = await page.context().browser().newContext();
  try {
    step("the operator makes two tenants, one with a quota, and invites an owner to each");
    await made("/api/v1/users", { name: "root", password: PASSWORD });
    const invitations = [];
    for (const name of ["red", "blue"]) {
      await made("/api/v1/tenants", { name });
      invitations.push((await made(`/api/v1/tenants/${name}/invitations`, { role: "owner" })).invitation);
    }
    assert.equal((await ask("PUT", "/api/v1/tenants/red/quotas", { applications: 7, requestsPerSecond: null })).status, 200);

    step("each comes in a browser of his own, and deploys something");
    const rose = page;
    const bert = await context.newPage();
    bert.setDefaultTimeout(30_000);
    await enter(rose, "rose", invitations[0]);
    await enter(bert, "bert", invitations[1]);
    const hers = await deployed(rose, "Web site");
    const his = await deployed(bert, "Stream analytics");
    assert.deepEqual([hers, his], ["red--web-site", "blue--stream-analytics"]);
    const [herName, hisName] = ["web-site", "stream-analytics"];

    step("each sees his own applications alone, by their own names");
    for (const [one, own, others] of [[rose, herName, hisName], [bert, hisName, herName]]) {
      await one.goto(`${server}/ui/#/`);
      await one.getByRole("link", { name: own, exact: true }).first().waitFor();
      await one.waitForLoadState("networkidle").catch(() => {});
      const told = await one.locator("main").innerText();
      for (const name of [others, "red--", "blue--"]) assert.equal(told.includes(name), false, `${name} is shown`);
    }
    await rose.goto(`${server}/ui/#/applications/${hers}`);
    await rose.getByRole("heading", { level: 1, name: herName, exact: true }).waitFor();
    await rose.getByRole("navigation", { name: "Application" }).getByRole("link", { name: herName, exact: true }).waitFor();
    assert.match(await rose.title(), /^web-site /);
    await accessible(bert, "tenant-home");

    step("an address of the other's leads to nothing: application, execution, data, queues, logs, under either name");
    await bert.goto(`${server}/ui/#/`);
    await bert.getByRole("link", { name: "Run it" }).click();
    await bert.getByRole("button", { name: "Run", exact: true }).click();
    await bert.waitForURL(/#\/applications\/blue--stream-analytics\/executions\//);
    const execution = bert.url().split("/").at(-1);
    for (const name of [his, "stream-analytics"]) {
      for (const rest of ["", `/executions/${execution}`, "/executions", "/versions", "/logs", "/data", "/queues", "/processes", "/workflows/main"]) {
        await isNotThere(rose, `#/applications/${name}${rest}`);
      }
    }
    await isNotThere(rose, `#/applications/${hers}/executions/${execution}`);
    await isNotThere(bert, `#/applications/${hers}`);
    await accessible(bert, "tenant-nothing");

    step("keys: each has his own, which opens his own");
    await rose.goto(`${server}/ui/#/settings/keys`);
    await rose.getByLabel("What it is for").fill("hers");
    await rose.getByLabel("read:").press("Space");
    await rose.getByRole("button", { name: "Make it" }).press("Enter");
    const key = await rose.locator(".made code").textContent();
    await bert.goto(`${server}/ui/#/settings/keys`);
    await bert.getByText("There is none.").waitFor();
    assert.equal((await ask("GET", `/api/v1/applications/${hers}`, undefined, key)).status, 200);
    assert.equal((await ask("GET", `/api/v1/applications/${his}`, undefined, key)).status, 404);

    step("quotas: each his own, and neither sets them");
    await rose.goto(`${server}/ui/#/settings/quotas`);
    await rose.locator("dd", { hasText: /^7, 1 there$/ }).waitFor();
    await bert.goto(`${server}/ui/#/settings/quotas`);
    await bert.locator("dd", { hasText: /^no limit, 1 there$/ }).waitFor();
    for (const one of [rose, bert]) assert.equal(await one.getByRole("button", { name: "Set them" }).count(), 0);

    step("members, and what was changed, are one's own tenant's; another one's log is not to be had");
    await rose.goto(`${server}/ui/#/settings/members`);
    await rose.getByLabel("Role of rose").waitFor();
    assert.equal(await rose.getByText("bert").count(), 0);
    for (const [one, own, other] of [[rose, "red", "blue"], [bert, "blue", "red"]]) {
      await one.goto(`${server}/ui/#/settings/audit`);
      await one.getByRole("row", { name: /deploy/ }).first().waitFor();
      assert.equal((await one.locator("main").innerText()).includes(`${other}--`), false, `${own} is told of ${other}`);
      const name = own === "red" ? herName : hisName;
      await one.getByRole("searchbox", { name: "Application" }).fill(name);
      await one.getByRole("row", { name: new RegExp(` ${name} `) }).first().waitFor();
      assert.equal(await one.getByLabel("Tenant").count(), 0, "there is no other to choose");
      await one.goto(`${server}/ui/#/settings/audit?tenant=${other}`);
      await one.getByRole("alert").first().waitFor();
    }

    step("what is the operator's to see stands in nobody's way");
    await rose.goto("about:blank");
    const figures = rose.waitForResponse((one) => one.url().includes("/api/v1/figures"));
    await rose.goto(`${server}/ui/#/`);
    assert.equal((await figures).status(), 200);
    await rose.getByRole("link", { name: herName, exact: true }).first().waitFor();
    assert.equal(await rose.getByRole("link", { name: "Hosts", exact: true }).count(), 0);
    await rose.goto(`${server}/ui/#/applications/${hers}/queues`);
    await rose.getByText("The live version has none.").waitFor();
    for (const rest of ["", `applications/${hers}`, `applications/${hers}/queues`]) {
      await rose.goto(`${server}/ui/#/${rest}`);
      await rose.getByRole("heading", { level: 1 }).waitFor();
      assert.equal(await rose.getByRole("alert").filter({ hasText: /not allowed/i }).count(), 0, rest);
    }

    step("hosts are the operator's");
    await rose.goto(`${server}/ui/#/hosts`);
    await rose.getByRole("alert").first().waitFor();
    assert.equal(await rose.getByRole("button", { name: /Drain|Resume/ }).count(), 0);

    step("who signs out leaves nothing on the page for the next");
    await rose.goto(`${server}/ui/#/`);
    await rose.getByRole("link", { name: herName, exact: true }).first().waitFor();
    await rose.goto(`${server}/ui/#/settings/account`);
    await rose.getByRole("button", { name: "Sign out" }).click();
    await rose.goto(`${server}/ui/#/`);
    await rose.getByRole("dialog", { name: "Sign in" }).waitFor();
    assert.equal((await rose.locator("body").innerText()).includes(herName), false);

    step("the operator makes and deletes a tenant; one that has something stays");
    const root = rose;
    await signIn(root, "root", PASSWORD);
    await root.goto(`${server}/ui/#/applications/${hers}`);
    await root.getByRole("heading", { level: 1, name: hers, exact: true }).waitFor();
    await root.goto(`${server}/ui/#/settings/account`);
    await root.getByLabel("New tenant").fill("green");
    await root.getByRole("button", { name: "Make", exact: true }).click();
    const green = root.getByRole("row", { name: /^green/ });
    await deleteOne(root, green, "green");
    await green.waitFor({ state: "detached" });
    await deleteOne(root, root.getByRole("row", { name: /^red/ }), "red");
    await root.getByRole("alert").filter({ hasText: /application/ }).first().waitFor();
    await root.getByRole("row", { name: /^red/ }).waitFor();
    await accessible(root, "accounts-of-all");

    step("he shuts one out and lets him in again, and gives one who has forgotten hers another password");
    const accounts = root.getByRole("table", { name: "Table of accounts" });
    await accounts.getByRole("row", { name: /^bert/ }).getByRole("button", { name: "Shut out" }).click();
    await root.getByRole("dialog", { name: "Shut bert out?" }).getByRole("button", { name: "Shut out" }).click();
    await accounts.getByRole("row", { name: /^bert.*may not sign in/ }).waitFor();
    await bert.goto("about:blank");
    await bert.goto(`${server}/ui/#/`);
    await bert.getByRole("dialog", { name: "Sign in" }).waitFor();
    assert.equal(await status("bert", PASSWORD), 401);
    await accessible(root, "accounts-shut-out");
    await accounts.getByRole("button", { name: "Let in bert" }).click();
    await accounts.getByRole("row", { name: /^bert.*active/ }).waitFor();
    assert.equal(await status("bert", PASSWORD), 201);
    await root.getByLabel("Another password for").selectOption("rose");
    await root.getByLabel("New password").first().fill("another walk 4712");
    await root.getByRole("button", { name: "Give it" }).click();
    await root.getByText("the sessions of before are over").waitFor();
    assert.equal(await status("rose", PASSWORD), 401);
    assert.equal(await status("rose", "another walk 4712"), 201);
    assert.equal(await accounts.getByRole("row", { name: /^root/ }).getByRole("button").count(), 0, "nobody shuts himself out");
  } finally {
    await context.close();
  }
});
console.log("walked");
