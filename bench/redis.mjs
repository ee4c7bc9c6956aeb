// Redis as a durable queue: XADD of 300 bytes, with an fsync of its file before the answer.
import { join } from "node:path";
import { freePort, run, start, untilListening } from "./processes.mjs";

const PAYLOAD = "x".repeat(300);

export const durability = "append-only file, appendfsync always (one fsync per event loop turn)";

export async function startRedis({ folder }) {
  const port = await freePort();
  const flags = {
    port,
    bind: "127.0.0.1",
    dir: folder,
    save: "",
    appendonly: "yes",
    appendfsync: "always",
    "auto-aof-rewrite-percentage": 0,
  };
  const child = start(
    "redis-server",
    Object.entries(flags).flatMap(([name, value]) => [`--${name}`, `${value}`]),
    { log: join(folder, "redis.log"), folder },
  );
  await untilListening(port, child);
  return { processes: [child], port };
}

/** Runs XADD for about `seconds`; resolves with the number and the rate. */
export async function append({ port, connections, seconds }) {
  const rate = await benchmark(port, connections, 20_000);
  const count = Math.round(rate * seconds);
  const perSecond = await benchmark(port, connections, count);
  return { accepted: count, perSecond, warmUp: 20_000 };
}

async function benchmark(port, connections, count) {
  const output = await run("redis-benchmark", [
    "-h", "127.0.0.1", "-p", `${port}`, "-c", `${connections}`, "-n", `${count}`, "-P", "1",
    "--csv", "XADD", "bench", "*", "data", PAYLOAD,
  ]);
  const last = output.trim().split("\n").at(-1);
  return Number(last.split('","')[1].replace('"', ""));
}
