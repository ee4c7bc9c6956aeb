// What a request costs more that reaches another node than that of its account, which passes it on.
// The messages are due in five hours, so that only the requests are measured.
import { load } from "./load.mjs";
import { script } from "./merpati.mjs";
import { startPair } from "./node_pair.mjs";
import { cpuSeconds } from "./processes.mjs";
import { grouped, median, spread, table } from "./statistics.mjs";

const TARGET = 1.6; // Times the CPU time of a request that reaches its node.
const TARGET_MS = 5; // More at the 99th percentile.
const CONNECTIONS = 64;
const DELAY_SECONDS = "18000";

export async function forwarding({ scratch, seconds, repetitions }) {
  const pair = await startPair({ scratch });
  const [own, other] = pair.nodes;
  const ways = { direct: own.url, forwarded: other.url };
  const rounds = { direct: [], forwarded: [] };
  const run = async (url, pause) => {
    const environment = { ...own.environment, BENCH_DELAY: DELAY_SECONDS, ...pause };
    const before = cpuSeconds(pair.processes);
    const result = await load({ url, script, connections: CONNECTIONS, seconds, environment });
    if (result.refused > 0) throw new Error(`${result.refused} requests were refused`);
    const microseconds = ((cpuSeconds(pair.processes) - before) / result.accepted) * 1e6;
    return { ...result, microseconds };
  };
  const highest = await run(ways.forwarded, {}); // Also connects the nodes.
  const half = highest.accepted / highest.seconds / 2;
  const pause = Math.round((CONNECTIONS / half) * 1000 - highest.p50 / 4);
  for (let round = 0; round < repetitions; round += 1) {
    for (const [name, url] of Object.entries(ways)) {
      const full = await run(url, {});
      rounds[name].push({ full, asked: await run(url, { BENCH_PAUSE: `${pause}` }) });
    }
  }
  await pair.stop();
  const cost = (name) => median(rounds[name].map(({ full }) => full.microseconds));
  const p99 = (name) => median(rounds[name].map(({ asked }) => asked.p99));
  return {
    rounds,
    ratio: cost("forwarded") / cost("direct"),
    more: p99("forwarded") - p99("direct"),
  };
}

export function describeForwarding({ rounds, ratio, more }) {
  const row = (name, side) => [
    name,
    spread(side.map(({ full }) => full.microseconds)),
    grouped(median(side.map(({ full }) => full.accepted / full.seconds))),
    grouped(median(side.map(({ asked }) => asked.accepted / asked.seconds))),
    spread(side.map(({ asked }) => asked.p99), 2),
  ];
  const verdict = (isMet) => (isMet ? "met" : "MISSED");
  return [
    `nodes, forwarding: POST /v1/send with ${CONNECTIONS} connections`,
    table([
      ["a request that is", "CPU us of all", "a second", "at half rate", "p99 ms then"],
      row("sent to its node", rounds.direct),
      row("passed on by another", rounds.forwarded),
    ]),
    `  ratio of CPU time ${ratio.toFixed(2)}, target at most ${TARGET}: ` +
      verdict(ratio <= TARGET),
    `  p99 ${more.toFixed(1)} ms more, target under ${TARGET_MS}: ${verdict(more < TARGET_MS)}`,
  ].join("\n");
}
