// What is measured of the gateway once a minute.
import { execFile } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { memory } from "../processes.mjs";

const run = promisify(execFile);

/** Resolves with {acceptP99, callbackP99, memory, disk, descriptors, rows: {table: count}}. */
export async function sample(world, books) {
  const { accepts, callbacks } = books.take();
  const { pid } = world.child;
  return {
    acceptP99: p99(accepts),
    callbackP99: p99(callbacks),
    accepted: accepts.length,
    open: books.open,
    memory: memory({ pid }).resident,
    disk: diskOf(world.file),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    rows: await rowsOf(world.file),
  };
}

export function p99(times) {
  if (times.length === 0) return undefined;
  const sorted = Float64Array.from(times).sort();
  return sorted[Math.ceil(sorted.length * 0.99) - 1];
}

/** MiB of the store and its log. */
function diskOf(file) {
  const size = (name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  return (size(file) + size(`${file}-wal`)) / (1 << 20);
}

async function rowsOf(file) {
  const names = await query(file, "SELECT name FROM sqlite_master WHERE type = 'table'");
  const counts = names.map((name) => `SELECT '${name}|' || count(*) FROM "${name}"`);
  const lines = await query(file, counts.join(" UNION ALL "));
  return Object.fromEntries(
    lines.map((line) => line.split("|")).map(([name, count]) => [name, Number(count)]),
  );
}

async function query(file, sql) {
  const timeout = ["-cmd", ".timeout 10000"];
  const { stdout } = await run("sqlite3", ["-readonly", ...timeout, file, sql]);
  return stdout.split("\n").filter((line) => line !== "");
}
