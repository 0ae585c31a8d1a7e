// A platform whose management answers, but for its grains `applications` and `logs` and for rolling back, and to which two versions of
// tests/e2e/applications/gate were deployed: what is shown says what to do, that does it, here and by command, and all else goes on.
// Usage: broken.mjs SERVER.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { accessible, fitsPhone, landed, shownCommand, withPage } from "./browser.mjs";

const server = process.argv[2];
const step = (text) => console.log(text);

await withPage(async (page) => {
  step("which grain failed, at what, and how to do without it");
  await page.goto(`${server}/ui/`);
  const said = page.getByRole("alert");
  await said.filter({ hasText: "Grain 'applications' of the management application did not answer listApplications: ValueError: broken." }).waitFor();
  await said.filter({ hasText: "'sand --direct'" }).waitFor();
  await accessible(page, "management-broken");

  step("which is so");
  const command = await shownCommand(page, "");
  const run = (text) => execFileSync("sh", ["-c", text], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  assert.throws(() => run(command), /did not answer listApplications/);
  assert.match(run(command.replace(" --server", " --direct --server")), /^gate\b/m);

  step("the page of an application says the same, beside what other grains tell");
  await page.goto(`${server}/ui/#/applications/gate`);
  await said.filter({ hasText: "did not answer describeApplication" }).waitFor();
  await page.getByRole("link", { name: "Versions", exact: true }).click();
  await page.getByRole("row", { name: /^Version 2 live / }).waitFor();
  assert.equal(await said.count(), 0);
  await page.getByRole("link", { name: "Hosts", exact: true }).click();
  await page.getByRole("region", { name: "local", exact: true }).waitFor();
  assert.equal(await said.count(), 0);

  step("who operates the platform sees what does its operations, and which grain failed");
  const management = page.getByRole("region", { name: "Management", exact: true });
  await management.getByText(/^\d+ grains of version 1$/).waitFor();
  await management.getByRole("row", { name: /^applications .*ValueError: broken/ }).waitFor();
  assert.equal(await management.getByRole("rowheader", { name: "versions" }).count(), 0);
  await accessible(page, "hosts-broken");

  step("a log that its grain does not give says so, and goes on asking");
  await page.goto(`${server}/ui/#/applications/gate/logs`);
  await said.filter({ hasText: "Grain 'logs' of the management application" }).waitFor();

  step("whoever may lets the platform do it, by keyboard: from there on each page has what it asks for, and says so");
  await page.goto(`${server}/ui/#/applications/gate`);
  const itself = page.getByRole("button", { name: "Let the platform do it itself" });
  await itself.press("Enter");
  await page.getByRole("heading", { name: "gate", exact: true }).waitFor();
  await page.getByRole("rowheader", { name: "check" }).waitFor();
  await landed(page, /^The platform itself does what this page asks for/);
  assert.equal(await said.count(), 0);
  await accessible(page, "management-direct");
  await page.getByRole("link", { name: "Logs", exact: true }).click();
  await page.getByText("No line yet.").or(page.getByLabel("Log lines")).waitFor();
  assert.equal(await said.count(), 0);
  await page.goto(`${server}/ui/#/settings/keys`);
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.getByText("There is none").waitFor();
  assert.equal(await said.count(), 0, "what the grains alone have is asked of them");

  step("so is what it shows as a command");
  await page.goto(`${server}/ui/#/`);
  await page.getByRole("link", { name: "gate", exact: true }).waitFor();
  assert.match(run(await shownCommand(page, "")), /^gate\b/m);
  await fitsPhone(page, server, ["#/"]);
  await page.setViewportSize({ width: 1280, height: 900 });

  step("with the grains again it is as it was");
  await page.getByRole("button", { name: "Ask the grains again" }).press("Enter");
  await said.filter({ hasText: "did not answer listApplications" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Ask the grains again" }).count(), 0);

  step("an application is rolled back directly where the grain that does it fails, which may have done it");
  await page.goto(`${server}/ui/#/applications/gate/versions`);
  await page.getByRole("row", { name: /^Version 2 live / }).waitFor();
  await page.getByRole("button", { name: "Roll back live" }).press("Enter");
  await said.filter({ hasText: "Grain 'aliases' of the management application did not answer rollback" }).filter({ hasText: "It may have been done all the same" }).waitFor();
  await itself.press("Enter");
  await landed(page, /^The platform itself does/);
  await page.getByRole("button", { name: "Roll back live" }).press("Enter");
  await page.getByText("live is version 1").waitFor();
  await page.getByRole("row", { name: /^Version 1 live / }).waitFor();
  const { entries } = await (await fetch(`${server}/api/v1/audit?operation=rollback`)).json();
  assert.deepEqual(entries.map(({ details, status }) => [details.plane, status]), [["direct", 200]]);
});
console.log("walked");
