import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compress } from "./plugins/compress.ts";

// No inlined files and no preload script: the policy that the gateway sends allows neither.
export default defineConfig({
  base: "/app/",
  plugins: [react(), compress()],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: { "/v1": process.env["MERPATI_URL"] ?? "http://127.0.0.1:8080" },
  },
});
