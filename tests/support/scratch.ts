// Where the suite keeps files of its own: one folder a run, which is gone when the run is over.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const variable = "MERPATI_SCRATCH";

/** Before the suite: makes the folder, and tells the test files' processes where it is. */
export function makeScratch(): void {
  process.env[variable] = mkdtempSync(join(tmpdir(), "merpati-suite-"));
}

/** After it. */
export function removeScratch(): void {
  rmSync(scratch(), { recursive: true, force: true });
}

export function scratch(): string {
  const folder = process.env[variable];
  if (!folder) throw new Error("support/global.ts did not run");
  return folder;
}

/** A new folder in it, for one test file. */
export function scratchFolder(name: string): string {
  return mkdtempSync(join(scratch(), `${name}-`));
}
