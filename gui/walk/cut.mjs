// A way to a server that can be cut, and mended: what a browser has open through it ends in the middle, and nothing new is let through.
// Or its streams of events fall silent: nobody hears that they are dead, as when a machine between the two has forgotten them.
import { createServer, connect } from "node:net";

export async function cuttable(server) {
  const { hostname, port } = new URL(server);
  const open = new Set();
  /** The browser's ends of what it asked for events last. */
  const streams = new Set();
  const silent = new WeakSet();
  let isCut = false;
  const door = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    near.on("data", (data) => (data.includes("text/event-stream") ? streams.add(near) : streams.delete(near)));
    near.on("close", () => streams.delete(near));
    for (const [one, other] of [[near, far], [far, near]]) {
      open.add(one);
      one.on("data", (data) => !silent.has(one) && !silent.has(other) && other.write(data));
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise((resolve) => door.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${door.address().port}`,
    cut() {
      isCut = true;
      for (const one of open) one.destroy();
    },
    silence() {
      for (const one of streams) silent.add(one);
    },
    mend() {
      isCut = false;
    },
    close() {
      this.cut();
      door.close();
    },
  };
}
