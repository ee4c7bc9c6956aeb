// How many times a second this disk makes 4 KiB durable. All figures of durable work depend on it.
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

export function fsyncsPerSecond(folder) {
  const name = join(folder, "fsync-probe");
  const file = openSync(name, "w");
  const page = Buffer.alloc(4096, 1);
  const begun = performance.now();
  let count = 0;
  while (performance.now() - begun < 1000) {
    writeSync(file, page);
    fdatasyncSync(file);
    count += 1;
  }
  const seconds = (performance.now() - begun) / 1000;
  closeSync(file);
  rmSync(name);
  return count / seconds;
}
