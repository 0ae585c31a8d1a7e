import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const PLATFORM = process.env.SAND_SERVER ?? "http://127.0.0.1:7263";

/** What draws the page is fetched beside its beginning, not after it. */
const besideTheBeginning: Plugin = {
  name: "beside-the-beginning",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle, chunk: beginning }) => {
      const app = Object.values(bundle ?? {}).find((one) => one.type === "chunk" && one.facadeModuleId?.endsWith("/src/app.tsx"));
      if (app?.type !== "chunk") return [];
      const known = new Set([beginning?.fileName, ...(beginning?.imports ?? [])]);
      return [app.fileName, ...app.imports.filter((name) => !known.has(name))].map((name) => ({ tag: "link", attrs: { rel: "modulepreload", crossorigin: true, href: `./${name}` }, injectTo: "head" }));
    },
  },
};

export default defineConfig({
  // Relative, so that it works below any path.
  base: "./",
  plugins: [react(), besideTheBeginning],
  build: {
    // Nothing becomes a data: address, which the page's policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
  },
  // `npm run dev` serves the page at /ui/ as the frontend does, and hands everything else on to a platform.
  server: { proxy: { "/api": PLATFORM, "/invoke": PLATFORM } },
  // How long is the machine's matter: what hangs ends all the same.
  test: { include: ["tests/**/*.test.ts"], testTimeout: 60_000 },
});
