// The suite's temporary folder, one for each run, which is removed after the run.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const variable = "MERPATI_SCRATCH";

/** Call before the suite: makes the folder, and passes its path to the test files' processes. */
export function makeScratch(): void {
  process.env[variable] = mkdtempSync(join(tmpdir(), "merpati-suite-"));
}

/** Call after the suite. */
export function removeScratch(): void {
  rmSync(scratch(), { recursive: true, force: true });
}

export function scratch(): string {
  const folder = process.env[variable];
  if (!folder) throw new Error("support/global.ts did not run");
  return folder;
}

/** Makes a new folder in it, for one test file. */
export function scratchFolder(name: string): string {
  return mkdtempSync(join(scratch(), `${name}-`));
}
