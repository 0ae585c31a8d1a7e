// What is typed, in this tab's storage: of this platform alone, and of who is here.
import { keeping } from "../model/kept";
import { SERVER } from "./client";

/** One origin may have several platforms, each below a path of its own. */
const PREFIX = `sand.kept.${new URL(SERVER).pathname} `;
/** What nobody would type again gladly. */
const DRAFTS = "draft.";
const WRITTEN_MS = 300;

export const kept = keeping(
  PREFIX,
  () => sessionStorage,
  (flush) => window.setTimeout(flush, WRITTEN_MS),
);

window.addEventListener("pagehide", kept.flush);
window.addEventListener("beforeunload", (event) => {
  kept.flush();
  // The tab may be closed for good, and with it goes what it keeps.
  if (kept.hasRefused(DRAFTS) || kept.hasKept(DRAFTS)) event.preventDefault();
});
