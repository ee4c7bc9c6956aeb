// The socket between this program and the one that started it: a JSON object a line, both ways.
import { fstatSync, readSync, writeSync } from "node:fs";
import { Unusable } from "./checks.js";
import type { Moved } from "./folder.js";
import type { Secret } from "./secrets.js";

const DESCRIPTOR = 3;
const CHUNK_BYTES = 256 * 1024;
const LINE_BYTES_MAX = 1024 * 1024;

/// Whether the socket exists. Without it the program refuses to run, so that a person who starts it
/// by hand sees no secrets on the terminal.
export function hasChannel(): boolean {
  try {
    return fstatSync(DESCRIPTOR).isSocket();
  } catch {
    return false;
  }
}

/// The last line of an import is `done`.
export function send(line: Secret | { done: Moved } | { ready: true }): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let begin = 0; begin < bytes.length; ) {
    begin += writeSync(DESCRIPTOR, bytes, begin);
  }
}

/// Yields secrets up to the line `done`. Errors: Unusable (the secrets are incomplete).
export function* receive(): Generator<Secret> {
  let rest = Buffer.alloc(0);
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (;;) {
    const end = rest.indexOf("\n");
    if (end < 0) {
      const count = readSync(DESCRIPTOR, chunk, 0, chunk.length, null);
      if (count === 0 || rest.length > LINE_BYTES_MAX) {
        throw new Unusable("the gateway ended before all was handed over");
      }
      rest = Buffer.concat([rest, chunk.subarray(0, count)]);
      continue;
    }
    const line = JSON.parse(rest.toString("utf8", 0, end)) as Secret & { done?: boolean };
    rest = rest.subarray(end + 1);
    if (line.done) {
      return;
    }
    if (typeof line.name !== "string" || typeof line.value !== "string") {
      throw new Unusable("the gateway handed over what is no secret");
    }
    yield { name: line.name, value: line.value };
  }
}
