// The end-to-end suite's crash ledger, for hundreds of kills instead of the five of `./dev test`.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export async function crash({ rounds }) {
  const tests = join(import.meta.dirname, "../tests");
  const { status } = spawnSync("npx", ["vitest", "run", "crash"], {
    cwd: tests,
    stdio: "inherit",
    env: {
      ...process.env,
      MERPATI_CRASH_ROUNDS: `${rounds}`,
      MERPATI_BINARY:
        process.env.MERPATI_BINARY ?? join(import.meta.dirname, "../build/release/merpati"),
    },
  });
  return { rounds, passed: status === 0 };
}

export function describeCrash({ rounds, passed }) {
  return [
    `crash: ${rounds} times kill -9 under load, for each kind of platform; the ledgers are above`,
    `  nothing lost: ${passed ? "met" : "MISSED"}`,
  ].join("\n");
}
