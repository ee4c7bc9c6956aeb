// Whether old messages are removed as fast as new ones are accepted.
import { fillWithFinished, removedOf } from "./fill.mjs";
import { load } from "./load.mjs";
import { script, startMerpati } from "./merpati.mjs";
import { stop } from "./processes.mjs";
import { grouped } from "./statistics.mjs";

export const TARGET = 1;
const OLD = 1_000_000;
const ROWS_EACH = 3; // Message, completion and callback.
const CONNECTIONS = 64;

export async function retention({ scratch, seconds }) {
  const folder = scratch("retention");
  let file;
  const { processes, url, environment } = await startMerpati({
    folder,
    devices: 20,
    fill: (store, numbers) =>
      fillWithFinished((file = store), numbers, OLD, { daysAgo: [60, 31] }),
  });
  const removedBefore = removedOf(file, OLD);
  const { accepted, ...result } = await load({
    url,
    script,
    connections: CONNECTIONS,
    seconds,
    environment: { ...environment, BENCH_DELAY: "18000" },
  });
  const removed = removedOf(file, OLD) - removedBefore;
  await stop(...processes);
  const removedPerSecond = removed / result.seconds;
  const acceptedPerSecond = accepted / result.seconds;
  return {
    removedPerSecond,
    acceptedPerSecond,
    finished: removedBefore + removed === OLD,
    p99: result.p99,
    ratio: removedPerSecond / acceptedPerSecond,
    target: TARGET,
  };
}

export function describeRetention(report) {
  const { removedPerSecond, acceptedPerSecond, finished, p99, ratio, target } = report;
  const rows = removedPerSecond * ROWS_EACH;
  return [
    `retention: ${grouped(OLD)} old messages with their callbacks, beside accepts at full rate`,
    `  removed ${grouped(removedPerSecond)} messages (${grouped(rows)} rows) a second` +
      `${finished ? ", which was all" : ""}; ` +
      `accepted ${grouped(acceptedPerSecond)} a second, p99 ${p99.toFixed(2)} ms`,
    `  ratio ${ratio.toFixed(2)}, target at least ${target}: ${ratio >= target ? "met" : "MISSED"}`,
  ].join("\n");
}
