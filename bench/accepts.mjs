// How many messages a second each side accepts durably: Merpati against Redis' XADD.
import * as merpati from "./merpati.mjs";
import * as redis from "./redis.mjs";
import { load } from "./load.mjs";
import { cpuSeconds, stop } from "./processes.mjs";
import { grouped, median, spread, table } from "./statistics.mjs";

export const TARGET = 0.9;
const CONNECTIONS = 64;

export async function accepts({ scratch, seconds, repetitions }) {
  const sides = { redis: [], merpati: [] };
  for (let round = 0; round < repetitions; round += 1) {
    sides.redis.push(await appendToRedis(scratch("redis"), seconds));
    sides.merpati.push(await acceptByMerpati(scratch("merpati"), seconds));
  }
  const rate = (side) => median(side.map((result) => result.perSecond));
  return { sides, ratio: rate(sides.merpati) / rate(sides.redis), target: TARGET };
}

async function appendToRedis(folder, seconds) {
  const { processes, port } = await redis.startRedis({ folder });
  const before = cpuSeconds(processes);
  const { accepted, perSecond, warmUp } = await redis.append({
    port,
    connections: CONNECTIONS,
    seconds,
  });
  const perCpuSecond = (accepted + warmUp) / (cpuSeconds(processes) - before);
  await stop(...processes);
  return { accepted, perSecond, perCpuSecond };
}

/** The messages are due in five hours, so that the gateway does nothing but accept. */
async function acceptByMerpati(folder, seconds) {
  const { processes, url, environment } = await merpati.startMerpati({ folder });
  const before = cpuSeconds(processes);
  const result = await load({
    url,
    script: merpati.script,
    connections: CONNECTIONS,
    seconds,
    environment: { ...environment, BENCH_DELAY: "18000" },
  });
  const perCpuSecond = result.accepted / (cpuSeconds(processes) - before);
  await stop(...processes);
  return { ...result, perSecond: result.accepted / result.seconds, perCpuSecond };
}

export function describeAccepts({ sides, ratio, target }) {
  const row = (name, side, durability) => [
    name,
    spread(side.map((result) => result.perSecond)),
    grouped(median(side.map((result) => result.perCpuSecond))),
    durability,
  ];
  const refused = sides.merpati.reduce((sum, result) => sum + result.refused, 0);
  return [
    `accepts: durable acceptances, ${CONNECTIONS} connections, 300 bytes`,
    table([
      ["side", "per second", "per CPU-second", "what makes it durable"],
      row("Redis XADD", sides.redis, redis.durability),
      row("Merpati POST /v1/send", sides.merpati, merpati.durability),
    ]),
    `  Merpati's latency: p50 ${spread(sides.merpati.map((r) => r.p50), 2)} ms, ` +
      `p99 ${spread(sides.merpati.map((r) => r.p99), 2)} ms; ${refused} refused`,
    `  ratio ${ratio.toFixed(2)}, target at least ${target}: ${ratio >= target ? "met" : "MISSED"}`,
  ].join("\n");
}
