// A platform whose management answers, but for its grain `applications`, and to which tests/e2e/applications/gate was deployed: what is
// shown says what to do, that does it, and all else goes on. Usage: broken.mjs SERVER.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { accessible, shownCommand, withPage } from "./browser.mjs";

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
  await page.getByRole("row", { name: /^Version 1 live / }).waitFor();
  assert.equal(await said.count(), 0);
  await page.getByRole("link", { name: "Hosts", exact: true }).click();
  await page.getByRole("region", { name: "local", exact: true }).waitFor();
  assert.equal(await said.count(), 0);
});
console.log("walked");
