// Media of one account beside another account with bad media hosts. Measures how long a message
// takes to be accepted (its file is probed first), and to be sent (its file is fetched first):
// undisturbed, beside the neighbour, and after a crash and a restart beside it.
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Gateway } from "./fairness_gateway.mjs";
import { measureRows } from "./fairness_rows.mjs";
import { PNG } from "./media_neighbours.mjs";
import { table } from "./statistics.mjs";

const SENDS = 200; // Of each kind, one after another; 1 % of them are two.
const PHASE_SECONDS_MAX = 10; // A longer phase is cut off, and judged by its results so far.
const SETTLE_SECONDS_MAX = 5; // For the neighbour's first round of messages.
const FACTOR_MAX = 2;
const UNDISTURBED_MIN_MS = 10; // A lower undisturbed time counts as this.
const KINDS = ["accepted", "sent"];

const rows = [
  { name: "33 hosts that hang, 100 messages each", kind: "hanging", hosts: 33, messages: 3300 },
  { name: "200 black holes, 20 each", kind: "blackHoles", hosts: 200, messages: 4000 },
  { name: "200 slow hosts (2 s), 20 each", kind: "slow", hosts: 200, messages: 4000 },
  { name: "36 dead hosts, 100 each", kind: "dead", hosts: 36, messages: 3600 },
];

export const fairnessMedia = ({ scratch }) =>
  measureRows(rows, () => scratch("fairness-media"), measure, isMet);

function isMet({ alone, beside, restarted, error }) {
  if (error) return false;
  return KINDS.every((kind) => {
    const most = FACTOR_MAX * Math.max(UNDISTURBED_MIN_MS, alone[kind].p99);
    return [beside, restarted].every((phase) => phase[kind].p99 <= most);
  });
}

async function measure(row, folder) {
  const ends = [];
  try {
    const host = await healthyHost();
    ends.push(() => host.close());
    const gateway = await Gateway.start(folder, { badDevices: 1 });
    ends.push(() => gateway.kill());
    const alone = await phase(gateway, host, "alone");
    const neighbour = await startNeighbour(row, folder, gateway);
    ends.push(() => stopNeighbour(neighbour));
    const beside = await phase(gateway, host, "beside");
    await gateway.kill();
    await gateway.run();
    const restarted = await phase(gateway, host, "restarted");
    return { alone, beside, restarted };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** Answers at once; each path has a different content. */
async function healthyHost() {
  const server = createServer((request, response) => {
    const body = Buffer.concat([PNG, Buffer.from(request.url)]);
    response.writeHead(200, { "content-type": "image/png", "content-length": body.length });
    response.end(request.method === "HEAD" ? undefined : body);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: (name) => `http://127.0.0.1:${server.address().port}/${name}`,
    close: () => (server.closeAllConnections(), server.close()),
  };
}

/** Runs in its own thread, so that its load does not delay the measurements. */
async function startNeighbour({ kind, hosts, messages }, folder, gateway) {
  const { key, devices } = gateway.accounts.bad;
  const workerData = { kind, hosts, messages, folder, url: gateway.url, key, from: devices[0] };
  const worker = new Worker(new URL("./media_neighbours.mjs", import.meta.url), { workerData });
  await Promise.race([once(worker, "message"), pause(SETTLE_SECONDS_MAX * 1000)]);
  return worker;
}

async function stopNeighbour(worker) {
  worker.postMessage("stop");
  await once(worker, "exit");
}

async function phase(gateway, host, name) {
  const end = performance.now() + PHASE_SECONDS_MAX * 1000;
  const [accepted, sent] = [[], []];
  for (let i = 0; i < SENDS && performance.now() < end; i += 1) {
    accepted.push(await timed(gateway, "A", host.url(`${name}-a${i}`)));
    sent.push(await timed(gateway, "B", host.url(`${name}-b${i}`)));
  }
  return { accepted: percentiles(accepted), sent: percentiles(sent) };
}

/** Times one send. Revision B answers when the message is sent. */
async function timed(gateway, revision, media) {
  const { key, devices } = gateway.accounts.good;
  const began = performance.now();
  const answer = await fetch(gateway.url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: `Bearer ${key}`,
      "X-Api-Revision": revision,
    },
    body: JSON.stringify({ to: "6281234567890", from: devices[0], Type: "media", url: media }),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
  return performance.now() - began;
}

function percentiles(times) {
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { p50: at(0.5), p99: at(0.99), max: times.at(-1), count: times.length };
}

export function describeFairnessMedia(results) {
  const cell = (times) => (times ? `${times.p50.toFixed(1)} / ${times.p99.toFixed(1)}` : "-");
  const line = (result, kind) => [
    result.name,
    kind,
    ...["alone", "beside", "restarted"].map((name) => cell(result[name]?.[kind])),
    result.met ? "met" : `MISSED${result.error ? `: ${result.error}` : ""}`,
  ];
  return [
    `media beside bad hosts of another account, up to ${SENDS} sends of each kind (ms: p50 / p99)`,
    table([
      ["beside", "until", "alone", "beside", "restarted", ""],
      ...results.flatMap((result) => KINDS.map((kind) => line(result, kind))),
    ]),
    `  p99 at most ${FACTOR_MAX} times the one alone, at least ${UNDISTURBED_MIN_MS} ms`,
  ].join("\n");
}
