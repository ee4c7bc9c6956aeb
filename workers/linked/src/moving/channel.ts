// The socket between this program and the one that started it: a JSON object a line, both ways.
import { fstatSync, readSync, writeSync } from "node:fs";
import type { Moved } from "./folder.js";
import { Unusable } from "./checks.js";
import type { Secret } from "./secrets.js";

const DESCRIPTOR = 3;
const CHUNK_BYTES = 256 * 1024;
const LINE_BYTES_MAX = 1024 * 1024;

/// Whether there is one: a person who starts this program by hand gets no secrets on a terminal.
export function hasChannel(): boolean {
  try {
    return fstatSync(DESCRIPTOR).isSocket();
  } catch {
    return false;
  }
}

/// The last line is the number of keys.
export function send(line: Secret | { done: Moved } | { ready: true }): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let begin = 0; begin < bytes.length; ) {
    begin += writeSync(DESCRIPTOR, bytes, begin);
  }
}

/// Secrets, up to the line that ends them. Errors: Unusable (they are not whole).
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
