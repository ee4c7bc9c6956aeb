import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const longest = [
  "month",
  "web_looks",
  "restricted",
  "nodes_sharing_faults",
  "nodes_sharing_moves",
];

/** Starts the longest files first: they take minutes, and would otherwise run alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return found < 0 ? longest.length : found;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

// Each file has its own server. Few files run at a time, because one server under load keeps two
// cores busy; more than there are cores, because most wait most of the time.
export default defineConfig({
  test: {
    include: ["*.test.ts"],
    setupFiles: ["support/cleanup.ts"],
    globalSetup: ["support/global.ts"],
    pool: "forks",
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
