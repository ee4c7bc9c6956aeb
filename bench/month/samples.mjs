// What is measured of the gateway once a minute.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { memory } from "../processes.mjs";

const run = promisify(execFile);

/**
 * Resolves with {acceptP99, callbackP99, memory, workers, disk, media, descriptors,
 * rows: {table: count}}. `workers`: the memory of the programs that the gateway has started;
 * undefined: none runs.
 */
export async function sample(world, books) {
  const { accepts, callbacks } = books.take();
  const { pid } = world.child;
  return {
    acceptP99: p99(accepts),
    callbackP99: p99(callbacks),
    accepted: accepts.length,
    open: books.open,
    memory: memory({ pid }).resident,
    workers: workersOf(pid),
    disk: diskOf(world.file),
    media: sizeOf(`${world.file}-media`),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    rows: await rowsOf(world.file),
  };
}

export function p99(times) {
  if (times.length === 0) return undefined;
  const sorted = Float64Array.from(times).sort();
  return sorted[Math.ceil(sorted.length * 0.99) - 1];
}

/** Resident MiB of all processes below `pid`. */
function workersOf(pid) {
  const parents = new Map();
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    const stat = present(() => readFileSync(`/proc/${name}/stat`, "utf8"));
    if (stat) parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]));
  }
  const isBelow = (process) => {
    const parent = parents.get(process);
    return parent !== undefined && (parent === pid || isBelow(parent));
  };
  const sizes = [...parents.keys()]
    .filter(isBelow)
    .map((process) => present(() => memory({ pid: process }).resident) ?? 0);
  return sizes.length === 0 ? undefined : sizes.reduce((sum, size) => sum + size, 0);
}

/** MiB of the store and its log. */
function diskOf(file) {
  const size = (name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  return (size(file) + size(`${file}-wal`)) / (1 << 20);
}

/** MiB of all files in a folder. */
function sizeOf(folder) {
  const names = present(() => readdirSync(folder, { recursive: true })) ?? [];
  const size = (name) => {
    const stat = present(() => statSync(join(folder, name)));
    return stat?.isFile() ? stat.size : 0;
  };
  return names.reduce((sum, name) => sum + size(name), 0) / (1 << 20);
}

/** Undefined: it has ended, or was removed, while it was read. */
function present(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
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
