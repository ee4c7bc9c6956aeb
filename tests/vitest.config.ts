import { defineConfig } from "vitest/config";

// One server a file, and a few files at a time: the binary under test keeps two cores busy.
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
