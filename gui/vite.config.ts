import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const PLATFORM = process.env.SAND_SERVER ?? "http://127.0.0.1:7263";

export default defineConfig({
  // Relative, so that it works below any path.
  base: "./",
  plugins: [react()],
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
