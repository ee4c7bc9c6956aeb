// Before the suite: creates a folder for the answers that are seen, and parses the documentation.
// After it: checks that every documented answer was seen.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";
import { binary } from "./binary.ts";
import { document, everythingDocumented, type Seen } from "./contract.ts";
import { onPostgres, PostgresServer } from "./postgres.ts";
import { makeScratch, removeScratch, scratch } from "./scratch.ts";

// Documented answers that this suite does not see, and why.
const exempt: { entry: Partial<Seen>; reason: string }[] = [
  {
    entry: { example: "overloaded" },
    reason: "the limits of a whole server: unit tests have them",
  },
  {
    entry: { example: "storageFull" },
    reason: "only where a small disk can be mounted: full_disk.test.ts",
  },
  {
    entry: { example: "serverError" },
    reason: "the suite knows no way to make the server fail",
  },
  { entry: { example: "requestTimeout" }, reason: "on one path is enough: framing.test.ts" },
  { entry: { example: "headersTooLarge" }, reason: "on one path is enough: framing.test.ts" },
  { entry: { example: "badRequest" }, reason: "on one path is enough: framing.test.ts" },
  {
    entry: { example: "stillRunning", operation: "addDevice" },
    reason: "no add takes that long",
  },
  { entry: { operation: "ready", status: 503 }, reason: "a moment too short to be caught" },
];

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(binary)) {
    throw new Error(`${binary} is missing: build it, or name another in MERPATI_BINARY`);
  }
  makeScratch();
  const file = join(scratch(), "seen.jsonl");
  process.env["MERPATI_SEEN"] = file;
  const contract = join(scratch(), "openapi.json");
  writeFileSync(contract, JSON.stringify(document));
  process.env["MERPATI_CONTRACT"] = contract;
  const server = onPostgres ? await PostgresServer.open() : undefined;
  server?.serveSuite();
  return async () => {
    await server?.close();
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
    removeScratch();
    if (onPostgres || !wholeSuitePassed(project)) return;
    const met = new Set(lines);
    const missing = everythingDocumented().filter(
      (entry) => !met.has(JSON.stringify(entry)) && !isExempt(entry),
    );
    if (missing.length > 0) {
      const list = missing.map((entry) => JSON.stringify(entry)).join("\n  ");
      console.error(`docs/openapi.yaml promises answers that no test met:\n  ${list}`);
      process.exitCode = 1; // An error thrown here would be printed, but the run would pass.
    }
  };
}

/** A run of only some files or tests does not see all answers, and a failed run fails anyway. */
function wholeSuitePassed(project: TestProject): boolean {
  const ran = project.vitest.state.getFiles();
  const all = readdirSync(resolve(import.meta.dirname, "..")).filter((n) => n.endsWith(".test.ts"));
  return (
    ran.length === all.length &&
    ran.every((file) => file.result?.state === "pass") &&
    !project.vitest.config.testNamePattern
  );
}

function isExempt(entry: Seen): boolean {
  return exempt.some(({ entry: pattern }) =>
    Object.entries(pattern).every(([key, value]) => entry[key as keyof Seen] === value),
  );
}
