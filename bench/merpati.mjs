// Starts Merpati: a new store, an account without a rate, a key, and connected simulated devices.
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { freePort, start, until, untilListening } from "./processes.mjs";

const BINARY = resolve(
  process.env.MERPATI_BINARY ?? join(import.meta.dirname, "../build/release/merpati"),
);

export const script = join(import.meta.dirname, "send.lua");

/** How it makes accepted messages durable. */
export const durability = "SQLite WAL, an fsync before every answer (group commit)";

/**
 * Resolves with {processes, url, environment, command, startAgain, launch}: url and environment are
 * for `load`, `command` runs the command line, `startAgain` starts the server after it has ended,
 * `launch(settings, folder)` starts one with other settings, and does not wait until it is ready.
 * `prepare(command, account)` and `fill(file, numbers)` may change the store before the start.
 */
export async function startMerpati({
  folder,
  devices = 1,
  settings = {},
  callback,
  tls = false,
  prepare = () => {},
  fill = () => {},
}) {
  const port = await freePort();
  const all = {
    "http.listen": `127.0.0.1:${port}`,
    "store.url": `sqlite:${join(folder, "merpati.db")}`,
    "simulator.latency_ms": 0,
    "outbound.allow": "127.0.0.0/8",
    "outbound.allow_http_callbacks": true,
    "log.level": "warn",
    ...settings,
  };
  const flagsOf = (wanted) =>
    Object.entries(wanted).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  const flags = flagsOf(all);
  const command = (...args) =>
    JSON.parse(execFileSync(BINARY, [...flags, ...args, "--json"], { encoding: "utf8" }));

  if (settings["store.url"]) command("migrate"); // A database's tables are not made on the way.
  const account = command("account", "create", "bench", "--rate", "none").id;
  const { key } = command("key", "create", account);
  const numbers = Array.from({ length: devices }, (_, index) => `62811${10000000 + index}`);
  numbers.forEach((number) => command("device", "add", account, number));
  prepare(command, account);
  fill(join(folder, "merpati.db"), numbers);

  const launch = (changed, own) =>
    start(BINARY, [...flagsOf({ ...all, ...changed }), "serve"], {
      log: join(own, "merpati.log"),
      folder: own,
    });
  const processes = [];
  const startAgain = async () => {
    const child = launch({}, folder);
    processes[0] = child;
    const ready = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then((answer) => answer.ok, () => false);
    await (tls ? untilListening(port, child) : until("merpati", ready, { child, every: 20 }));
  };
  await startAgain();
  return {
    processes,
    startAgain,
    launch,
    url: `http://127.0.0.1:${port}/v1/send`,
    command,
    environment: { BENCH_KEY: key, BENCH_FROM: numbers.join(" "), BENCH_CALLBACK: callback ?? "" },
  };
}
