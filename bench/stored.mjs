// The cost of an accept with a million waiting messages, against an empty store.
import { fillWithWaiting } from "./fill.mjs";
import { load } from "./load.mjs";
import { script, startMerpati } from "./merpati.mjs";
import { cpuSeconds, stop } from "./processes.mjs";
import { grouped, median, spread, table } from "./statistics.mjs";

export const TARGET = 1.3;
const STORED = 1_000_000;
const CONNECTIONS = 64;
const DEVICES = 20;
const WARM_UP_SECONDS = 3; // For the scheduler to load the messages that are due next.
// Spread, so that successive accepts are far apart in the queue. No message becomes due meanwhile.
const DELAYS = Array.from({ length: 509 }, (_, index) => 600 + ((index * 7919) % 16_800));

export async function stored({ scratch, seconds, repetitions }) {
  const sides = { empty: [], full: [] };
  for (let round = 0; round < repetitions; round += 1) {
    sides.empty.push(await accept(scratch("empty"), seconds));
    sides.full.push(
      await accept(scratch("full"), seconds, (file, numbers) =>
        fillWithWaiting(file, numbers, STORED),
      ),
    );
  }
  const cost = (side) => median(side.map((result) => 1 / result.perSecond));
  return { sides, ratio: cost(sides.full) / cost(sides.empty), target: TARGET };
}

async function accept(folder, seconds, fill) {
  const gateway = await startMerpati({ folder, devices: DEVICES, fill });
  const { processes, url, environment } = gateway;
  const send = (length) =>
    load({
      url,
      script,
      connections: CONNECTIONS,
      seconds: length,
      environment: { ...environment, BENCH_DELAY: DELAYS.join(" ") },
    });
  await send(WARM_UP_SECONDS);
  const before = cpuSeconds(processes);
  const result = await send(seconds);
  const perCpuSecond = result.accepted / (cpuSeconds(processes) - before);
  await stop(...processes);
  return { ...result, perSecond: result.accepted / result.seconds, perCpuSecond };
}

export function describeStored({ sides, ratio, target }) {
  const row = (name, side) => [
    name,
    spread(side.map((result) => result.perSecond)),
    grouped(median(side.map((result) => result.perCpuSecond))),
    spread(
      side.map((result) => result.p99),
      2,
    ),
  ];
  return [
    `stored: durable acceptances, ${CONNECTIONS} connections, due in 10 minutes to 5 hours`,
    table([
      ["store", "per second", "per CPU-second", "p99 in ms"],
      row("empty at the start", sides.empty),
      row(`${grouped(STORED)} messages wait`, sides.full),
    ]),
    `  cost of an accept ${ratio.toFixed(2)} of an empty store's, target at most ${target}: ` +
      (ratio <= target ? "met" : "MISSED"),
  ].join("\n");
}
