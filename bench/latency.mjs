// How long a caller waits for an answer while the gateway runs at half its highest rate.
//
// First measures the highest rate of whole cycles. Then each connection pauses between requests, so
// that all of them together request half of that rate.
import { measure } from "./cycle.mjs";
import { script, startMerpati } from "./merpati.mjs";
import { stop } from "./processes.mjs";
import { startSink } from "./sink.mjs";
import { grouped, median, spread, table } from "./statistics.mjs";

export const TARGET = 15;
const CONNECTIONS = 64;
const DEVICES = 16;

export async function latency({ scratch, seconds, repetitions }) {
  const sink = await startSink(scratch("sink"));
  const rounds = [];
  for (let round = 0; round < repetitions; round += 1) {
    const run = (environment) =>
      measure(
        async () => {
          const side = await startMerpati({
            folder: scratch("merpati"),
            devices: DEVICES,
            callback: sink.url,
          });
          return { ...side, environment: { ...side.environment, ...environment } };
        },
        script,
        sink,
        seconds,
      );
    const full = await run({});
    const half = full.accepted / full.seconds / 2;
    const pause = Math.round((CONNECTIONS / half) * 1000 - full.p50 / 4);
    const asked = await run({ BENCH_PAUSE: `${pause}` });
    rounds.push({ full, asked: { ...asked, rate: asked.accepted / asked.seconds } });
  }
  await stop(sink.process);
  const p99 = median(rounds.map(({ asked }) => asked.p99));
  return { rounds, p99, target: TARGET };
}

export function describeLatency({ rounds, p99, target }) {
  const row = (name, side, rate) => [
    name,
    grouped(median(side.map(rate))),
    spread(side.map((result) => result.p50), 2),
    spread(side.map((result) => result.p99), 2),
  ];
  return [
    `latency: POST /v1/send with ${CONNECTIONS} connections, sent and called back meanwhile`,
    table([
      ["asked for", "accepts per second", "p50 ms", "p99 ms"],
      row("all it takes", rounds.map((r) => r.full), (r) => r.accepted / r.seconds),
      row("half of that", rounds.map((r) => r.asked), (r) => r.rate),
    ]),
    `  p99 at half the rate ${p99.toFixed(1)} ms, target under ${target} ms: ` +
      `${p99 < target ? "met" : "MISSED"}`,
  ].join("\n");
}
