// Starts, awaits, measures and stops the processes under measurement.
import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
const END_SECONDS_MAX = 60;

const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/**
 * Starts a program whose output goes to the file `log`. `withChildren`: it starts other processes,
 * whose time counts too.
 */
export function start(program, args, { log, folder, environment, withChildren = false } = {}) {
  const output = openSync(log, "a");
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  child.name = program;
  child.withChildren = withChildren;
  child.log = log;
  child.ended = new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("exit", (code, signal) => resolve(signal ?? code));
  }).finally(() => running.delete(child));
  running.add(child);
  return child;
}

/** Sends SIGTERM, and SIGKILL to a process that does not end in time. */
export async function stop(...children) {
  for (const child of children) {
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), END_SECONDS_MAX * 1000);
    await child.ended;
    clearTimeout(late);
  }
}

export function isRunning(child) {
  return running.has(child);
}

/** Runs a program to its end; resolves with its output. */
export function run(program, args, environment = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (piece) => (output += piece));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${program} ended with ${code}\n${output}`)),
    );
  });
}

/** User and system time that the processes have used so far, all threads together. */
export function cpuSeconds(children) {
  const ticks = children.map(({ pid, withChildren }) =>
    withChildren ? ticksWithChildren(pid) : statOf(pid).own,
  );
  return ticks.reduce((sum, count) => sum + count, 0) / TICKS_PER_SECOND;
}

/** Children that have ended are in the counts of the process that has started them. */
function ticksWithChildren(pid) {
  const { own, ended } = statOf(pid);
  const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return others.reduce((sum, name) => {
    try {
      const stat = statOf(name);
      return stat.parent === pid ? sum + stat.own : sum;
    } catch {
      return sum; // It has ended since.
    }
  }, own + ended);
}

/** In clock ticks. */
function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
  return { parent: fields[1], own: fields[11] + fields[12], ended: fields[13] + fields[14] };
}

/** VmRSS and its parts, in MiB. */
export function memory(child) {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const field = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024;
  return { resident: field("VmRSS"), private: field("RssAnon"), files: field("RssFile") };
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits until `condition` is true; rejects if `child` ends or after `seconds`. */
export async function until(what, condition, { child, seconds = 30, every = 50 } = {}) {
  const end = performance.now() + seconds * 1000;
  while (!(await condition())) {
    const gone = child && !isRunning(child);
    if (gone || performance.now() > end) {
      const log = child ? `\n${readFileSync(child.log, "utf8").slice(-2000)}` : "";
      throw new Error(`${what}: ${gone ? "the process ended" : "not in time"}${log}`);
    }
    await pause(every);
  }
}

/** Waits until a process listens on the port. */
export function untilListening(port, child) {
  const attempt = () =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.on("connect", () => (socket.destroy(), resolve(true)));
      socket.on("error", () => resolve(false));
    });
  return until(`${child.name} on port ${port}`, attempt, { child });
}
