// Builds dist/: main.js and convert.js with all packages that they use, in few files, so that a
// worker starts fast. Nothing else is needed to run it.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "rolldown";

/// Replaces libsignal's job queue: see src/baileys/job_queue.ts.
function replaceJobQueue(): Plugin {
  const file = createRequire(import.meta.url).resolve("libsignal/src/queue_job.js");
  const ours = fileURLToPath(new URL("src/baileys/job_queue.ts", import.meta.url));
  return {
    name: "replace-job-queue",
    load: (id) =>
      id === file ? `module.exports = require(${JSON.stringify(ours)}).queueJob;` : null,
  };
}

/// Escapes non-ASCII characters: source text with a character beyond Latin-1 takes twice the
/// memory, as long as the worker runs.
function asciiOnly(): Plugin {
  const escaped = (unit: string): string =>
    `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return {
    name: "ascii-only",
    renderChunk: (code) => code.replace(/[^\0-\x7f]/g, escaped),
  };
}

export default defineConfig({
  input: { main: "src/main.ts", convert: "src/convert.ts" },
  platform: "node",
  // Optional packages of Baileys for thumbnails and previews.
  external: ["jimp", "sharp", "link-preview-js"],
  plugins: [replaceJobQueue(), asciiOnly()],
  output: {
    dir: "dist",
    cleanDir: true,
    minify: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  },
});
