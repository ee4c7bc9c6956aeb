import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Starts the longest file first: it takes minutes, and would otherwise run alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification) => moduleId.endsWith("/month.test.ts");
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

// Each file has its own server, and few files run at a time: one binary keeps two cores busy.
export default defineConfig({
  test: {
    include: ["*.test.ts"],
    setupFiles: ["support/cleanup.ts"],
    globalSetup: ["support/global.ts"],
    pool: "forks",
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
