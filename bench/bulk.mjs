// Messages in bulks against messages one by one: durable acceptances, whole cycles beside Kannel,
// and how long a bulk of 100 takes at half the highest rate.
import { setTimeout as pause } from "node:timers/promises";
import { measure } from "./cycle.mjs";
import * as kannel from "./kannel.mjs";
import { load } from "./load.mjs";
import * as merpati from "./merpati.mjs";
import { cpuSeconds, stop } from "./processes.mjs";
import { startSink } from "./sink.mjs";
import { grouped, median, spread, table } from "./statistics.mjs";

export const TARGET_ACCEPTS = 5; // Times as many messages per CPU-second as one by one.
export const TARGET_P99 = 25; // Milliseconds.
const SINGLE_CONNECTIONS = 64;
const BULK_CONNECTIONS = 8; // An account has at most 16 bulks that wait.
const DEVICES = 16;

/** How messages arrive: `each` in a request. */
const ways = {
  single: { each: 1, connections: SINGLE_CONNECTIONS },
  hundred: { each: 100, connections: BULK_CONNECTIONS },
  thousand: { each: 1_000, connections: BULK_CONNECTIONS },
};

export async function bulk({ scratch, seconds, repetitions }) {
  const sink = await startSink(scratch("sink"));
  const accepts = { single: [], hundred: [], thousand: [] };
  const cycles = { kannel: [], single: [], thousand: [], batches: [] };
  const latencies = [];
  for (let round = 0; round < repetitions; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      accepts[name].push(await acceptOnly(scratch("accepts"), way, seconds));
    }
    const theirs = () => kannel.startKannel({ folder: scratch("kannel"), callback: sink.url });
    cycles.kannel.push(await measure(theirs, kannel.script, sink, seconds));
    for (const [name, way, batches] of [
      ["single", ways.single, false],
      ["thousand", ways.thousand, false],
      ["batches", ways.thousand, true],
    ]) {
      const whole = await wholeCycle({ scratch, sink, seconds, way, batches });
      if (whole) cycles[name].push(whole);
    }
    latencies.push(await atHalfTheRate({ scratch, sink, seconds }));
  }
  await stop(sink.process);
  const rate = (side) => median(side.map((result) => result.perCpuSecond));
  return {
    accepts,
    cycles,
    latencies,
    ratio: rate(accepts.thousand) / rate(accepts.single),
    p99: median(latencies.map(({ half }) => half.p99)),
  };
}

async function startSide({ folder, way, callback, environment = {}, batches = false }) {
  const prepare = batches
    ? (command, account) => command("account", "set", account, "--callback-batch", "100/200ms")
    : undefined;
  const side = await merpati.startMerpati({ folder, devices: DEVICES, callback, prepare });
  if (way.each === 1) return { ...side, environment: { ...side.environment, ...environment } };
  return {
    ...side,
    url: side.url.replace("/v1/send", "/v1/messages/bulk"),
    environment: { ...side.environment, BENCH_EACH: `${way.each}`, ...environment },
  };
}

/**
 * The messages are due in five hours, so that the gateway does nothing but accept. The gateway
 * counts them: the load generator leaves the last requests without waiting for their answers.
 */
async function acceptOnly(folder, way, seconds) {
  const side = await startSide({ folder, way, environment: { BENCH_DELAY: "18000" } });
  const before = cpuSeconds(side.processes);
  const begun = performance.now();
  const result = await load({ ...side, ...way, script: merpati.script, seconds });
  const { accepted, at } = await acceptedAtLast(new URL("/metrics", side.url));
  const cpu = cpuSeconds(side.processes) - before;
  await stop(...side.processes);
  const perSecond = accepted / ((at - begun) / 1000);
  return { ...result, perSecond, perCpuSecond: accepted / cpu };
}

/** Waits until no more messages are accepted. Resolves with their number and the last time. */
async function acceptedAtLast(metrics) {
  const accepted = async () => {
    const text = await (await fetch(metrics)).text();
    return Number(/^merpati_messages_accepted_total{revision="A"} (\d+)/m.exec(text)[1]);
  };
  for (let last = await accepted(); ; ) {
    const at = performance.now();
    await pause(300);
    const now = await accepted();
    if (now === last) return { accepted: now, at };
    last = now;
  }
}

/** Empty if this gateway knows no batches of callbacks. */
async function wholeCycle({ scratch, sink, seconds, way, batches, environment }) {
  const folder = scratch("cycle");
  try {
    const start = () => startSide({ folder, way, callback: sink.url, environment, batches });
    return await measure(start, merpati.script, sink, seconds, { ...way, batches });
  } catch (error) {
    if (batches && /callback-batch/.test(error.message)) return undefined;
    throw error;
  }
}

async function atHalfTheRate({ scratch, sink, seconds }) {
  const way = ways.hundred;
  const full = await wholeCycle({ scratch, sink, seconds, way });
  const half = full.perSecond / way.each / 2; // Requests a second.
  const wait = Math.max(1, Math.round((way.connections / half) * 1000 - full.p50 / 4));
  const asked = await wholeCycle({
    scratch,
    sink,
    seconds,
    way,
    environment: { BENCH_PAUSE: `${wait}` },
  });
  return { full, half: asked };
}

export function describeBulk({ accepts, cycles, latencies, ratio, p99 }) {
  const row = (name, side) => [
    name,
    spread(side.map((result) => result.perCpuSecond)),
    grouped(median(side.map((result) => result.perSecond))),
    side[0].p99 === undefined
      ? "-"
      : spread(
          side.map((result) => result.p99),
          2,
        ),
    `${side.reduce((sum, result) => sum + result.refused + (result.missing ?? 0), 0)}`,
  ];
  const heading = ["side", "messages per CPU-second", "per second", "p99 ms", "refused, missing"];
  const halves = latencies.map(({ half }) => half);
  return [
    `bulk: durable acceptances, ${SINGLE_CONNECTIONS} connections one by one, ` +
      `${BULK_CONNECTIONS} with bulks`,
    table([
      heading,
      row("POST /v1/send", accepts.single),
      row("bulks of 100", accepts.hundred),
      row("bulks of 1 000", accepts.thousand),
    ]),
    `  ratio ${ratio.toFixed(1)}, target at least ${TARGET_ACCEPTS}: ` +
      `${ratio >= TARGET_ACCEPTS ? "met" : "MISSED"}`,
    "bulk: accepted, sent, called back; drain included",
    table([
      heading,
      row("Kannel, 3 processes", cycles.kannel),
      row(`Merpati, ${DEVICES} devices, one by one`, cycles.single),
      row("bulks of 1 000", cycles.thousand),
      ...(cycles.batches.length
        ? [row("bulks of 1 000, callbacks in batches", cycles.batches)]
        : []),
      row("bulks of 100 at half the rate", halves),
    ]),
    `  p99 of a bulk of 100 at half the rate ${p99.toFixed(1)} ms, ` +
      `target under ${TARGET_P99} ms: ${p99 < TARGET_P99 ? "met" : "MISSED"}`,
  ].join("\n");
}
