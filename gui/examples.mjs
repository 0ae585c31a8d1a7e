// Applications of ../examples, as zips that the page deploys with one click. Run by `npm run build`, behind the bundle.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { zipSync } from "fflate";

/** With a first input for a workflow of each, or where its pages are. */
const EXAMPLES = {
  "web-site": { title: "Web site", about: "Pages, style sheets and pictures through routes.", open: "/web/web-site/" },
  "mail-scanner": {
    title: "Mail scanner",
    about: "Headers, links and attachments of a message scanned at the same time, joined into one verdict.",
    workflow: "main",
    input:
      'From: Bank <bank@bank.example>\nReply-To: other@elsewhere.example\nSubject: Your account\nContent-Type: text/html\n\n<p>Come to <a href="http://192.0.2.7/">https://bank.example/</a></p>\n',
  },
  "stream-analytics": {
    title: "Stream analytics",
    about: "Short messages: which language, then words without links and stop words, then how often.",
    workflow: "main",
    input: { language: "en", top: 10 },
  },
};
const LEFT = /(^|\/)(\.[^/]*|__pycache__|[^/]*\.pyc)(\/|$)/;
const TIME = new Date(1990, 0, 1);

mkdirSync("dist/examples", { recursive: true });
for (const name of Object.keys(EXAMPLES)) {
  const folder = join("../examples", name);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !LEFT.test(path))
    .sort();
  writeFileSync(`dist/examples/${name}.zip`, zipSync(Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path))])), { mtime: TIME }));
}
writeFileSync("dist/examples/index.json", JSON.stringify(Object.entries(EXAMPLES).map(([name, example]) => ({ name, ...example }))));
