// A way to a server that can be cut, and mended: what a browser has open through it ends in the middle, and nothing new is let through.
import { createServer, connect } from "node:net";

export async function cuttable(server) {
  const { hostname, port } = new URL(server);
  const open = new Set();
  let isCut = false;
  const door = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    for (const [one, other] of [[near, far], [far, near]]) {
      open.add(one);
      one.pipe(other);
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
    mend() {
      isCut = false;
    },
    close() {
      this.cut();
      door.close();
    },
  };
}
