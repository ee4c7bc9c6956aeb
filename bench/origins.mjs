// The cost of callbacks to many hosts: messages per CPU-second of Merpati with callbacks to 200
// origins in turn, against callbacks to one origin.
import { measure } from "./cycle.mjs";
import { script, startMerpati } from "./merpati.mjs";
import { stop } from "./processes.mjs";
import { startSink } from "./sink.mjs";
import { grouped, median, spread, table } from "./statistics.mjs";

export const TARGET = 0.8;
const ORIGINS = 200;
const DEVICES = 16;

export async function origins({ scratch, seconds, repetitions }) {
  const sink = await startSink(scratch("sink"), ORIGINS);
  const sides = { one: [], many: [] };
  for (let round = 0; round < repetitions; round += 1) {
    for (const [side, callback] of [["one", sink.url], ["many", sink.urls.join(" ")]]) {
      const start = () => startMerpati({ folder: scratch(side), devices: DEVICES, callback });
      sides[side].push(await measure(start, script, sink, seconds));
    }
  }
  await stop(sink.process);
  const rate = (side) => median(side.map((result) => result.perCpuSecond));
  return { sides, ratio: rate(sides.many) / rate(sides.one), target: TARGET };
}

export function describeOrigins({ sides, ratio, target }) {
  const row = (name, side) => [
    name,
    spread(side.map((result) => result.perCpuSecond)),
    grouped(median(side.map((result) => result.perSecond))),
    `${side.reduce((sum, result) => sum + result.missing, 0)}`,
  ];
  return [
    `origins: the cycle, callbacks to one origin and to ${ORIGINS}`,
    table([
      ["callbacks to", "messages per CPU-second", "per second", "missing"],
      row("1 origin", sides.one),
      row(`${ORIGINS} origins`, sides.many),
    ]),
    `  ratio ${ratio.toFixed(2)}, target at least ${target}: ${ratio >= target ? "met" : "MISSED"}`,
  ].join("\n");
}
