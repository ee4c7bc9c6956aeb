// The whole life of a message: accepted, sent, called back, and its completion stored. Merpati
// against Kannel with the same sink, in messages per CPU-second of all processes of a side; and
// Merpati with HTTPS for its callers and for callbacks.
import { makeCertificate } from "./certificate.mjs";
import * as kannel from "./kannel.mjs";
import * as merpati from "./merpati.mjs";
import { setTimeout as pause } from "node:timers/promises";
import { load } from "./load.mjs";
import { cpuSeconds, memory, stop } from "./processes.mjs";
import { startSink } from "./sink.mjs";
import { grouped, median, spread, table } from "./statistics.mjs";

export const TARGET = 8;
export const TARGET_HTTPS = 0.75; // Of the messages per CPU-second over plain HTTP.
const CONNECTIONS = 64;
const DEVICES = 16; // Several, because a device keeps the order of sends and Kannel does not.
const DRAIN_SECONDS_MAX = 120;
const QUIET_SECONDS = 2; // After this long without callbacks and work, a side counts as drained.

export async function cycle({ scratch, seconds, repetitions }) {
  const sink = await startSink(scratch("sink"));
  const certificate = makeCertificate(scratch("certificate"));
  const secureSink = await startSink(scratch("secure-sink"), 1, certificate);
  const sides = { kannel: [], merpati: [], https: [] };
  for (let round = 0; round < repetitions; round += 1) {
    const ours = () =>
      merpati.startMerpati({ folder: scratch("merpati"), devices: DEVICES, callback: sink.url });
    const theirs = () => kannel.startKannel({ folder: scratch("kannel"), callback: sink.url });
    sides.kannel.push(await measure(theirs, kannel.script, sink, seconds));
    sides.merpati.push(await measure(ours, merpati.script, sink, seconds));
    const secure = () => startSecure(scratch("https"), secureSink, certificate);
    sides.https.push(await measure(secure, merpati.script, secureSink, seconds));
  }
  await stop(sink.process, secureSink.process);
  const rate = (side) => median(side.map((result) => result.perCpuSecond));
  return {
    sides,
    ratio: rate(sides.merpati) / rate(sides.kannel),
    target: TARGET,
    https: rate(sides.https) / rate(sides.merpati),
  };
}

async function startSecure(folder, sink, certificate) {
  const side = await merpati.startMerpati({
    folder,
    devices: DEVICES,
    callback: sink.url,
    tls: true,
    settings: {
      "http.tls.certificate": certificate.file,
      "http.tls.key": certificate.key,
      "outbound.ca_file": certificate.file,
    },
  });
  return { ...side, url: side.url.replace("http:", "https:") };
}

/**
 * `each`: messages of a request. `batches`: a request to the sink reports many messages, so the
 * gateway counts those that were reported. Messages of requests whose answers the load generator
 * did not wait for are sent and reported too, and count.
 */
export async function measure(
  startSide,
  script,
  sink,
  seconds,
  { connections = CONNECTIONS, each = 1, batches = false } = {},
) {
  const { processes, url, environment } = await startSide();
  const reports = batches ? { count: () => reported(new URL("/metrics", url)) } : sink;
  const before = { cpu: cpuSeconds(processes), callbacks: await reports.count() };
  const begun = performance.now();
  const result = await load({ url, script, connections, seconds, environment });
  result.accepted *= each;
  const drained = await drain(processes, reports, before.callbacks + result.accepted);
  const cpu = cpuSeconds(processes) - before.cpu;
  const resident = processes.reduce((sum, child) => sum + memory(child).resident, 0);
  await stop(...processes.toReversed());
  const completed = drained.callbacks - before.callbacks;
  return {
    ...result,
    completed,
    missing: Math.max(0, result.accepted - completed),
    perSecond: completed / ((drained.at - begun) / 1000),
    perCpuSecond: completed / cpu,
    resident,
  };
}

/** The messages whose callbacks were delivered. */
async function reported(metrics) {
  const text = await (await fetch(metrics)).text();
  return Number(/^merpati_callback_attempts_total{result="delivered"} (\d+)/m.exec(text)[1]);
}

/**
 * Waits until `expected` callbacks or more arrived, which `sink` counts, and the side is idle;
 * resolves with the last one's time.
 */
export async function drain(processes, sink, expected) {
  const end = performance.now() + DRAIN_SECONDS_MAX * 1000;
  let callbacks = await sink.count();
  let at = performance.now();
  let cpu = cpuSeconds(processes);
  let quietSince = at;
  while (performance.now() < end) {
    await pause(100);
    const now = { callbacks: await sink.count(), cpu: cpuSeconds(processes) };
    if (now.callbacks !== callbacks) at = performance.now();
    if (now.callbacks !== callbacks || now.cpu - cpu > 0.02) quietSince = performance.now();
    ({ callbacks, cpu } = now);
    const quiet = (performance.now() - quietSince) / 1000;
    if (quiet > (callbacks >= expected ? QUIET_SECONDS / 4 : QUIET_SECONDS * 5)) break;
  }
  return { callbacks, at };
}

export function describeCycle({ sides, ratio, target, https }) {
  const row = (name, side, durability) => [
    name,
    spread(side.map((result) => result.perCpuSecond)),
    grouped(median(side.map((result) => result.perSecond))),
    grouped(median(side.map((result) => result.resident))),
    `${side.reduce((sum, result) => sum + result.missing, 0)}`,
    durability,
  ];
  return [
    `cycle: accepted, sent, called back; ${CONNECTIONS} connections, drain included`,
    table([
      ["side", "messages per CPU-second", "per second", "MiB", "missing", "what makes it durable"],
      row("Kannel, 3 processes", sides.kannel, kannel.durability),
      row(`Merpati, ${DEVICES} devices`, sides.merpati, merpati.durability),
      row("Merpati, HTTPS both ways", sides.https, merpati.durability),
    ]),
    `  ratio ${ratio.toFixed(1)}, target at least ${target}: ${ratio >= target ? "met" : "MISSED"}`,
    `  HTTPS to HTTP ${https.toFixed(2)}, target at least ${TARGET_HTTPS}: ` +
      `${https >= TARGET_HTTPS ? "met" : "MISSED"}`,
  ].join("\n");
}
