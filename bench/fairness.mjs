// Callbacks of one account beside bad neighbours of another. Measures the time from the answer to a
// send until the callback arrives at a healthy origin: undisturbed, beside each neighbour, and
// after a kill and a restart with all callbacks due. The p99 beside each neighbour must be at most
// twice the undisturbed p99, where less than 10 ms counts as 10 ms. The same for the answers to
// sends beside another account's bulks (fairness_bulk.mjs).
//
// The rows with host names mount their own files in /etc and need root; the row with the clock
// needs libfaketime.
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { measureBesideCampaign } from "./campaign_neighbour.mjs";
import { bulkRows, measureBulk } from "./fairness_bulk.mjs";
import { Gateway } from "./fairness_gateway.mjs";
import { measureRows } from "./fairness_rows.mjs";
import { PROBES, probe, startReceiver } from "./probes.mjs";
import { table } from "./statistics.mjs";

const UNDISTURBED_MIN_MS = 10;
const FACTOR_MAX = 2;
const SENDERS = 32;

/** The neighbours; `each` is the number of callbacks for each origin. */
const rows = [
  { name: "33 hanging origins, 100 each", kind: "hang", origins: 33, each: 100 },
  { name: "200 black holes, 20 each", kind: "full", origins: 200, each: 20 },
  { name: "200 slow origins (2 s, 200), 20 each", kind: "slow", origins: 200, each: 20 },
  { name: "36 dead origins, 1,300 each", kind: "dead", origins: 36, each: 1300 },
  {
    name: "a name whose name server is silent, 8",
    urls: () => ["http://silent.example.test:9/status"],
    each: 8,
    own: { nameServer: "127.9.9.53" },
    nameServer: true,
  },
  { name: "100 answered 404, same origin as the healthy one", kind: "shared", each: 100 },
  {
    name: "a name whose first address is dead (the healthy one's own)",
    own: { hosts: "127.7.7.7 two.example.test\n127.0.0.1 two.example.test" },
    healthyHost: "two.example.test",
    firstAddress: "127.7.7.7",
    each: 0,
    limit: 1000, // A new connection first tries one more address.
  },
  {
    name: "wall clock set back 2 h, 5 retries waiting",
    kind: "broken",
    origins: 1,
    each: 5,
    own: { settableClock: true },
    setBack: "-2h",
  },
  { name: "a campaign of 400,000 recipients", campaign: 400_000 },
];

export async function fairness({ scratch }) {
  const folder = () => scratch("fairness");
  const ofCallbacks = (row, at) =>
    row.campaign ? measureBesideCampaign(scratch, row.campaign) : measure(row, at);
  return [
    ...(await measureRows(rows, folder, ofCallbacks, isMet)),
    ...(await measureRows(bulkRows, folder, measureBulk, isMet)),
  ];
}

function isMet({ undisturbed, beside, restarted, limit, error }) {
  if (error) return false;
  const most = limit ?? FACTOR_MAX * Math.max(undisturbed.p99, UNDISTURBED_MIN_MS);
  return [beside, restarted ?? beside].every(({ lost, p99 }) => lost === 0 && p99 <= most);
}

async function measure(row, folder) {
  const ends = [];
  const sink = await startReceiver();
  ends.push(() => sink.close());
  try {
    if (row.nameServer) ends.push(await silentNameServer(row.own.nameServer));
    const gateway = await Gateway.start(folder, row.own);
    ends.push(() => gateway.kill());
    const healthy = `http://${row.healthyHost ?? "127.0.0.1"}:${sink.port}/alive`;
    const plain = `http://127.0.0.1:${sink.port}/alive`;
    const undisturbed = await probe(gateway, sink, plain);
    const urls = await neighbours(row, sink, ends);
    await load(gateway, urls, row.each);
    if (row.setBack) gateway.setClock(row.setBack);
    const beside = await probe(gateway, sink, healthy);
    await gateway.kill();
    await gateway.run();
    const restarted = await probe(gateway, sink, healthy);
    return { undisturbed, beside, restarted };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function neighbours(row, sink, ends) {
  if (row.urls) return row.urls();
  if (row.firstAddress) {
    // The same port at the other address, where nobody accepts connections.
    const stopped = await startNeighbour("full", ends, { host: row.firstAddress, port: sink.port });
    await fill(stopped);
    return [];
  }
  if (row.kind === "shared") return [`http://127.0.0.1:${sink.port}/dead`];
  const addresses = Array.from({ length: row.origins }, (_, index) => `127.1.0.${index + 1}`);
  if (row.kind === "dead") return addresses.map((address) => `http://${address}:9/status`);
  const { host, port, child } = await startNeighbour(row.kind, ends);
  if (row.kind === "full") await fill({ host, port, child, ends });
  return addresses.map((address) => `http://${address}:${port}/status`);
}

async function startNeighbour(kind, ends, { host = "0.0.0.0", port = 0 } = {}) {
  const script = join(import.meta.dirname, "neighbour.mjs");
  const child = spawn(process.execPath, [script, kind, host, String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  ends.push(() => child.kill("SIGKILL"));
  const [text] = await once(child.stdout, "data");
  return { child, host: host === "0.0.0.0" ? "127.0.0.1" : host, port: Number(String(text)), ends };
}

/** Stops the neighbour and fills its listen queue, so that connections to it time out. */
async function fill({ child, host, port, ends }) {
  child.kill("SIGSTOP");
  for (let i = 0; i < 8; i += 1) {
    const socket = connect(port, host).on("error", () => {});
    ends.push(() => socket.destroy());
  }
  await pause(200);
}

async function silentNameServer(address) {
  const socket = createSocket("udp4");
  socket.bind(53, address);
  await once(socket, "listening");
  return () => socket.close();
}

async function load(gateway, urls, each) {
  const orders = Array.from({ length: each }, () => urls).flat();
  const sender = async () => {
    for (let url = orders.pop(); url; url = orders.pop()) {
      await gateway.send(gateway.accounts.bad, url);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  await pause(2000); // By then all messages are sent, and their callbacks in flight.
}

export function describeFairness(results) {
  const time = (times, key) => (times?.[key] === undefined ? "-" : `${Math.round(times[key])} ms`);
  const cells = (times) => [time(times, "p50"), time(times, "p99"), String(times?.lost ?? "-")];
  return [
    `fairness: callbacks of a healthy origin beside another account's, ${PROBES} each; ` +
      "beside bulks, the answers to sends",
    table([
      ["", "alone p50", "p99", "beside p50", "p99", "lost", "restarted p50", "p99", "lost", ""],
      ...results.map(({ name, undisturbed, beside, restarted, met, error }) => [
        name,
        ...cells(undisturbed).slice(0, 2),
        ...cells(beside),
        ...cells(restarted),
        met ? "met" : `MISSED${error ? `: ${error}` : ""}`,
      ]),
    ]),
    `  p99 at most ${FACTOR_MAX} times the one alone, at least ${UNDISTURBED_MIN_MS} ms`,
  ].join("\n");
}
