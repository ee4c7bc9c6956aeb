// Libraries that are preloaded into a gateway. Each is made from the C file of its name.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { scratchFolder } from "./scratch.ts";

const made = new Map<string, string>();

/** The environment of a gateway with this library. */
export function preloaded(name: string): Record<string, string> {
  const library = made.get(name) ?? make(name);
  made.set(name, library);
  // The sanitizers' runtime does not mind a library before it that allocates nothing at the start.
  const options = process.env["ASAN_OPTIONS"] ?? "";
  return { LD_PRELOAD: library, ASAN_OPTIONS: `${options}:verify_asan_link_order=0` };
}

function make(name: string): string {
  const library = join(scratchFolder("preloaded"), `${name}.so`);
  const source = join(import.meta.dirname, `${name}.c`);
  execFileSync("clang-19", ["-O1", "-shared", "-fPIC", "-o", library, source]);
  return library;
}
