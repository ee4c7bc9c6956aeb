import { defineConfig } from "vitest/config";

// Each file has its own server, and few files run at a time: one binary keeps two cores busy.
export default defineConfig({
  test: {
    include: ["*.test.ts"],
    setupFiles: ["support/cleanup.ts"],
    globalSetup: ["support/global.ts"],
    pool: "forks",
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
