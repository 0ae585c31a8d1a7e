// The first account of a platform, made in the browser: it closes the platform, and who signs in goes on where he was.
// Usage: accounts.mjs SERVER, with a management, to which the application `gate` of tests/e2e/applications was deployed.
import assert from "node:assert/strict";
import { accessible, fitsPhone, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);
const PASSWORD = "walked through 4711";

/** As who comes back to its tab does: it is asked anew who is here. */
async function lookAgain(page) {
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
}

/** One that is none: whoever is asked goes on in another way then. */
async function tryKey(page) {
  await page.getByRole("button", { name: "Use a key instead" }).click();
  await page.getByRole("dialog").getByLabel("Key").fill("no-key-of-this-platform");
  await page.keyboard.press("Enter");
  await page.getByText("That is no key of this platform").waitFor();
}

await withPage(async (page) => {
  step("an open platform says so, and offers a first account");
  await page.goto(`${server}/ui/#/settings/account`);
  await page.getByText("Whoever is on this machine may do everything here.").waitFor();
  await accessible(page, "account-first");
  await page.getByLabel("Name").fill("ada");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.locator("dd", { hasText: "ada" }).waitFor();
  await accessible(page, "account");
  assert.equal((await fetch(`${server}/api/v1/applications`)).status, 401, "it is closed");

  step("who has signed in runs a workflow, and changes something");
  await page.goto(`${server}/ui/#/applications/gate/workflows/main`);
  await page.getByLabel("Input, as JSON").fill('{"name": "Ada"}');
  await page.keyboard.press("Control+Enter");
  await page.locator(".facts .badge", { hasText: "succeeded" }).waitFor();
  await page.goto(`${server}/ui/#/applications/gate`);
  await page.getByLabel("Name").fill("WALKED");
  await page.getByLabel("Value").fill("a value of some length");
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await page.getByText("WALKED is set").waitFor();

  step("a page that is loaded anew goes on, for the cookie is the browser's");
  await page.reload();
  await page.getByRole("rowheader", { name: "WALKED" }).waitFor();
  const kept = await page.evaluate(() => JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }]));
  assert.equal(kept.includes("sand_session"), false, "no script sees it");

  step("a session that ends in the middle of typing: he is asked over the page, and nothing typed is lost");
  await page.getByLabel("Name").fill("TYPED");
  await page.getByLabel("Value").fill("typed and not sent");
  await page.context().clearCookies();
  await lookAgain(page);
  const asked = page.getByRole("dialog", { name: "Sign in" });
  await asked.waitFor();
  await asked.getByText("Your session has ended").waitFor();
  await tryKey(page);
  await page.getByRole("button", { name: "Sign in with a name instead" }).click();
  await asked.getByLabel("Name").fill("ada");
  await asked.getByLabel("Password").fill("not his password");
  await page.keyboard.press("Enter");
  await asked.getByRole("alert").filter({ hasText: /./ }).waitFor();
  await asked.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await asked.waitFor({ state: "hidden" });
  assert.equal(await page.getByLabel("Name").inputValue(), "TYPED");
  assert.equal(await page.getByLabel("Value").inputValue(), "typed and not sent");
  await page.locator(".trouble", { hasText: "Your session has ended" }).first().waitFor({ state: "detached" });

  step("somebody is invited, who makes his account in a browser of his own, and gets another role");
  await page.goto(`${server}/ui/#/settings/members`);
  await page.getByRole("rowheader", { name: "ada" }).waitFor();
  await page.getByLabel("Invite a new").selectOption("viewer");
  await page.getByRole("button", { name: "Make an invitation" }).click();
  const invitation = await page.locator(".made code").textContent();
  await page.getByRole("rowheader", { name: "a new viewer" }).waitFor();
  await accessible(page, "members");
  const his = await page.context().browser().newContext();
  const other = await his.newPage();
  await other.goto(`${server}/ui/`);
  await tryKey(other);
  await other.getByRole("button", { name: "I have an invitation" }).click();
  const invited = other.getByRole("dialog", { name: "A new account" });
  await invited.getByLabel("Invitation").fill(invitation);
  await invited.getByLabel("Name").fill("bob");
  await invited.getByLabel("Password").fill(`${PASSWORD} too`);
  await accessible(other, "invited");
  await other.keyboard.press("Enter");
  await invited.waitFor({ state: "hidden" });
  await other.goto(`${server}/ui/#/settings/account`);
  await other.getByText("bob", { exact: true }).waitFor();

  step("who is no owner comes to what is his own in the settings, and is told whose the rest is");
  const refused = [];
  other.on("response", (answer) => answer.status() === 403 && refused.push(answer.url()));
  await other.goto(`${server}/ui/#/`);
  await other.getByRole("link", { name: "Settings", exact: true }).click();
  await other.getByRole("heading", { name: "Account", exact: true }).waitFor();
  assert.deepEqual(await other.getByRole("navigation", { name: "Settings" }).locator("a, strong").allInnerTexts(), ["Quotas", "Account"]);
  await other.goto(`${server}/ui/#/settings/members`);
  await other.reload();
  await other.getByText("This is for owners of the tenant.").waitFor();
  assert.deepEqual(refused, []);

  step("a viewer sees what he may not do, and why");
  await other.goto(`${server}/ui/#/applications/gate/grains/greet`);
  const sent = [];
  other.on("request", (request) => request.method() !== "GET" && sent.push(`${request.method()} ${request.url()}`));
  for (const [name, scope] of [["Run", "invoke"], ["Save as a version", "deploy"], ["Save the event", "deploy"]]) {
    const button = other.getByRole("button", { name, exact: true });
    await button.and(other.locator('[aria-disabled="true"]')).waitFor();
    assert.equal(await button.getAttribute("title"), `This needs the scope ${scope}; you have read.`);
    await button.click({ force: true });
  }
  await other.getByLabel("Input, as JSON").press("Control+Enter");
  await accessible(other, "viewer");

  step("what a grain has written turns nothing of the page around");
  assert.equal(await page.evaluate(async () => {
    const { csrf } = await (await fetch("../api/v1/session")).json();
    return (await fetch("../api/v1/applications/gate/invoke/greet", { method: "POST", headers: { "Sand-Csrf": csrf, "Content-Type": "application/json" }, body: JSON.stringify({ name: "\u202eadA\u0007" }) })).status;
  }), 200);
  await other.goto(`${server}/ui/#/applications/gate/logs`);
  await other.getByText("greeting \\u202eadA\\u0007").first().waitFor();
  assert.equal(await other.locator("main").innerText().then((text) => /[\u202e\u0007]/.test(text)), false);
  await other.goto(`${server}/ui/#/applications/gate`);
  assert.equal(await other.getByRole("link", { name: "Deploy a version" }).getAttribute("href"), null);
  await other.goto(`${server}/ui/#/applications/gate/versions`);
  await other.locator('button[aria-disabled="true"]', { hasText: "Point it there" }).waitFor();
  assert.deepEqual(sent, []);
  await page.reload();
  await other.getByLabel("Alias", { exact: true }).fill("typed");
  const changes = [];
  page.on("request", (request) => request.method() === "PUT" && changes.push(request.postData()));
  // By keyboard, from the first to the last: he becomes nothing on the way.
  const role = page.getByLabel("Role of bob");
  await role.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await role.inputValue(), "owner");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Make bob developer" }).waitFor({ state: "detached" });
  assert.deepEqual(changes, ['{"role":"developer"}']);
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Role of bob");
  await page.getByText("Nobody is invited.").waitFor();
  await page.reload();
  await page.getByLabel("Role of bob").waitFor();
  assert.equal(await page.getByLabel("Role of bob").inputValue(), "developer");

  step("who gets another role may do more from then on, and has what he typed");
  await lookAgain(other);
  await other.locator('button:not([aria-disabled="true"])', { hasText: "Point it there" }).waitFor();
  assert.equal(await other.getByLabel("Alias", { exact: true }).inputValue(), "typed");

  step("the last owner stays an owner");
  await page.getByLabel("Role of ada").selectOption("viewer");
  await page.getByRole("button", { name: "Make ada viewer" }).click();
  await page.getByRole("alert").filter({ hasText: /owner/ }).first().waitFor();

  step("who signs in anew in another tab is told so in this one, which saves what was typed there");
  await page.goto(`${server}/ui/#/applications/gate/grains/greet`);
  const editor = page.getByRole("textbox", { name: "grains/greet/handler.py" });
  await editor.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("# of ada\n");
  await page.getByText("1 file differs from version").waitFor();
  const tab = await page.context().newPage();
  await tab.goto(`${server}/ui/#/settings/account`);
  const entered = async (at, name, password) => {
    const dialog = at.getByRole("dialog", { name: "Sign in" });
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel("Password").fill(password);
    await at.keyboard.press("Enter");
    await dialog.waitFor({ state: "hidden" });
  };
  await tab.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("dialog", { name: "Sign in" }).getByText("Your session has ended").waitFor();
  await entered(tab, "ada", PASSWORD);
  await page.getByRole("dialog", { name: "Sign in" }).waitFor({ state: "hidden" });
  await page.getByText("1 file differs from version").waitFor();
  await page.getByRole("button", { name: "Save as a version" }).click();
  await page.getByText(/^Version \d+ is live\.$/).waitFor();

  step("a page that did not hear of it takes up the session that it is refused for, and saves then");
  const deaf = await page.context().newPage();
  await deaf.addInitScript(() => (window.BroadcastChannel = class { postMessage() {} }));
  await deaf.goto(`${server}/ui/#/applications/gate/grains/greet?input=%7B%22typed%22%3A1%7D`);
  await deaf.getByRole("button", { name: "Run" }).waitFor();
  await deaf.getByText("ada · default").waitFor();
  // What it says is so when it says it, also where the platform takes a while to tell whose the session is.
  await deaf.route("**/api/v1/session", async (route) => {
    await deaf.waitForTimeout(1000);
    await route.continue();
  });
  await tab.getByRole("button", { name: "Sign out" }).click();
  await entered(tab, "ada", PASSWORD);
  await deaf.getByRole("button", { name: "Run" }).click();
  await deaf.getByRole("alert").filter({ hasText: "You have signed in anew meanwhile" }).waitFor();
  await deaf.getByRole("button", { name: "Run" }).click();
  await deaf.locator(".result .badge", { hasText: /succeeded|failed/ }).waitFor();
  await deaf.unrouteAll({ behavior: "ignoreErrors" });
  await deaf.close();

  step("what one user typed is not another's, who comes in the same browser, and is gone from the tab");
  await page.getByLabel("Input, as JSON").fill('{"secret": "of ada"}');
  const inTab = (at) => at.evaluate(() => JSON.stringify({ ...sessionStorage }));
  while (!(await inTab(page)).includes("of ada")) await page.waitForTimeout(100);
  await tab.getByRole("button", { name: "Sign out" }).click();
  await entered(tab, "bob", `${PASSWORD} too`);
  await page.getByText("bob · default").waitFor();
  await page.getByRole("dialog", { name: "Sign in" }).waitFor({ state: "hidden" });
  assert.equal(await page.getByLabel("Input, as JSON").inputValue(), "{}");
  assert.equal((await inTab(page)).includes("of ada"), false);
  await page.getByLabel("Input, as JSON").fill('{"secret": "of bob"}');
  while (!(await inTab(page)).includes("of bob")) await page.waitForTimeout(100);
  await tab.close();
  await page.goto(`${server}/ui/#/settings/account`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("dialog", { name: "Sign in" }).waitFor();
  assert.equal((await inTab(page)).includes("of bob"), false);
  await entered(page, "ada", PASSWORD);
  await page.goto(`${server}/ui/#/settings/members`);
  await page.getByLabel("Role of bob").waitFor();

  step("another password ends one's other sessions");
  const again = await his.browser().newContext();
  const elsewhere = await again.newPage();
  await elsewhere.goto(`${server}/ui/#/settings/account`);
  await elsewhere.getByLabel("Name").fill("bob");
  await elsewhere.getByLabel("Password").fill(`${PASSWORD} too`);
  await elsewhere.keyboard.press("Enter");
  await elsewhere.getByRole("button", { name: "End" }).waitFor();
  await elsewhere.getByLabel("Old password").fill(`${PASSWORD} too`);
  await elsewhere.getByLabel("New password").fill(`${PASSWORD} new`);
  await elsewhere.keyboard.press("Enter");
  await elsewhere.getByText("your other sessions have ended").waitFor();
  await elsewhere.getByRole("button", { name: "End" }).waitFor({ state: "detached" });
  await other.reload();
  await other.getByRole("dialog", { name: "Sign in" }).waitFor();
  await his.close();
  await again.close();

  step("a member is taken out");
  await page.getByRole("row", { name: /bob/ }).getByRole("button", { name: "Take out" }).click();
  await page.getByRole("dialog", { name: "Take bob out?" }).getByRole("button", { name: "Take out" }).click();
  await page.getByLabel("Role of bob").waitFor({ state: "detached" });

  step("another tenant: it has nothing of the first one's, and the first one's is there again on the way back");
  await page.goto(`${server}/ui/#/settings/account`);
  await page.getByLabel("New tenant").fill("acme");
  await page.keyboard.press("Enter");
  await page.getByRole("rowheader", { name: "acme" }).waitFor();
  await page.getByLabel("Acts in tenant").selectOption("acme");
  await page.getByRole("button", { name: "Go to acme" }).click();
  await page.waitForFunction(async () => (await (await fetch("../api/v1/session")).json()).tenant === "acme");
  await accessible(page, "tenants");
  await page.goto(`${server}/ui/#/`);
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle").catch(() => {});
  assert.equal(await page.getByRole("link", { name: "gate", exact: true }).count(), 0, "another tenant's application is shown");
  await page.goto(`${server}/ui/#/settings/members`);
  await page.getByRole("button", { name: "Make an invitation" }).click();
  await page.locator(".made code").waitFor();
  await page.goto(`${server}/ui/#/settings/account`);
  await page.getByLabel("Acts in tenant").selectOption("default");
  await page.getByRole("button", { name: "Go to default" }).click();
  await page.waitForFunction(async () => (await (await fetch("../api/v1/session")).json()).tenant === "default");
  await page.goto(`${server}/ui/#/`);
  await page.getByRole("link", { name: "gate", exact: true }).first().waitFor();

  step("who operates the platform reads another tenant's audit log, whichever he acts in; the choice is in the address");
  await page.goto(`${server}/ui/#/settings/audit`);
  await page.getByRole("row", { name: /remove member/ }).first().waitFor();
  await page.getByLabel("Tenant").selectOption("acme");
  await page.getByRole("row", { name: /invite member/ }).first().waitFor();
  await page.getByRole("row", { name: /remove member/ }).first().waitFor({ state: "detached" });
  assert.match(page.url(), /tenant=acme/);
  await accessible(page, "audit-of-another");
  await page.reload();
  await page.getByRole("row", { name: /invite member/ }).first().waitFor();
  await page.getByText("as curl, as command").click();
  await page.getByText(/ audit --limit 50 --tenant acme$/).waitFor();
  await page.getByLabel("Tenant").selectOption("default");
  await page.getByRole("row", { name: /remove member/ }).first().waitFor();
  assert.doesNotMatch(page.url(), /tenant=/);

  step("and its members and quotas, which he sets, without belonging to it");
  await page.goto(`${server}/ui/#/settings/quotas?tenant=acme`);
  await page.getByRole("textbox", { name: "Applications" }).fill("3");
  await page.getByRole("button", { name: "Set them" }).click();
  await page.locator("dd", { hasText: /^3, 0 there$/ }).waitFor();
  await accessible(page, "quotas-of-another");
  const set = await page.evaluate(async () => Promise.all(["acme", "default"].map(async (tenant) => (await (await fetch(`../api/v1/tenants/${tenant}/quotas`)).json()).limits.applications)));
  assert.deepEqual(set, [3, null]);
  await page.getByLabel("Tenant").selectOption("default");
  await page.locator("dd", { hasText: /^no limit, 1 there$/ }).waitFor();
  await page.goto(`${server}/ui/#/settings/members?tenant=acme`);
  await page.getByRole("table", { name: "Table of members of acme" }).or(page.getByText("Nobody belongs to it.")).waitFor();
  await page.getByText("invite as curl, as command").click();
  await page.getByText(/ account invite --role developer --tenant acme$/).waitFor();

  await fitsPhone(page, server, ["#/settings/audit", "#/settings/account", "#/settings/members"]);

  step("and the way out");
  await page.goto(`${server}/ui/#/settings/account`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("dialog", { name: "Sign in" }).waitFor();
});
console.log("walked");
