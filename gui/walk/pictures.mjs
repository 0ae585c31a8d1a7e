// The pictures of the README, from a running platform to which the application `gate` was deployed from FOLDER.
// Usage: pictures.mjs SERVER FOLDER, with SAND_PICTURES: where they are written.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withPage } from "./browser.mjs";

const [, , server, gate] = process.argv;
const pictures = process.env.SAND_PICTURES;
const step = (text) => console.log(text);
const work = mkdtempSync(join(tmpdir(), "sand-pictures-"));
mkdirSync(pictures, { recursive: true });

try {
  await withPage(async (page) => {
    await page.setViewportSize({ width: 1200, height: 820 });
    const picture = async (name, colorScheme) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.screenshot({ path: join(pictures, `${name}.png`) });
    };

    step("an execution as it runs");
    await page.goto(`${server}/ui/#/applications/gate/workflows/main`);
    await page.getByLabel("Input, as JSON").fill('{"name": "Ada"}');
    await page.keyboard.press("Control+Enter");
    await page.locator('[data-state="Pause"][data-status="running"]').waitFor();
    await page.locator("dd", { hasText: "live" }).waitFor();
    await page.locator('[data-state="Greet"]').click();
    await page.getByRole("heading", { name: "Greet succeeded", level: 3 }).waitFor();
    // A click has the page scrolled to what is clicked.
    await page.evaluate(() => window.scrollTo(0, 0));
    await picture("execution", "dark");

    step("what a deployment would change");
    const folder = join(work, "gate");
    cpSync(gate, folder, { recursive: true });
    const handler = join(folder, "grains/greet/handler.py");
    const farewell = '\n\n\ndef farewell(event):\n    return {**event, "farewell": "Until soon."}\n';
    writeFileSync(handler, readFileSync(handler, "utf8").replace("Hello, ", "Good day, ").trimEnd() + farewell);
    await page.goto(`${server}/ui/#/deploy?into=gate`);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose a folder" }).click();
    await (await chooser).setFiles(folder);
    await page.getByLabel("Differences of grains/greet/handler.py").waitFor();
    await page.evaluate(() => window.scrollTo(0, 0));
    await picture("deploy", "light");
  });
  console.log("walked");
} finally {
  rmSync(work, { recursive: true, force: true });
}
