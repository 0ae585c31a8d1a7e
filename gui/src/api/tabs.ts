// A session's cookie is the browser's, for all its tabs: who signs in, out, or goes to another tenant in one of them, does so in all.
import { SERVER } from "./client";

/** One origin may have several platforms, each below a path of its own. */
const channel = new BroadcastChannel(`sand.session ${new URL(SERVER).pathname}`);

/** The session of this tab is another one, or none, by now. */
export function tellTabs(): void {
  channel.postMessage("changed");
}

export function hearTabs(onChange: () => void): void {
  channel.onmessage = onChange;
}
