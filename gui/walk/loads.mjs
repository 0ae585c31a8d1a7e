// How long pages take to load with nothing kept from before. Usage: loads.mjs SERVER TIMES ADDRESS… (below /ui/)
// Prints a JSON object a page: {"address", "ms": [until its heading and all that it asks for first are there, …]}.
import { withPage } from "./browser.mjs";

const [server, times, ...addresses] = process.argv.slice(2);

for (const address of addresses) {
  const ms = [];
  for (let time = 0; time < Number(times); time++) {
    // A profile of its own each time: neither files nor compiled scripts are kept.
    await withPage(async (page) => {
      await page.goto("about:blank");
      const began = performance.now();
      await page.goto(`${server}/ui/${address}`, { waitUntil: "load" });
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForFunction(() => ![...document.querySelectorAll('main [role="status"]')].some((said) => /^(Loading|Laying out)/.test(said.textContent ?? "")));
      ms.push(performance.now() - began);
    });
  }
  console.log(JSON.stringify({ address, ms }));
}
console.log("walked");
