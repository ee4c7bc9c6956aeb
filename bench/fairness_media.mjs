// Media of one account beside media of another, whose hosts are bad: how long a send takes to be
// accepted (its file is probed before the answer), and to be sent (its file is fetched before).
import { setTimeout as pause } from "node:timers/promises";
import * as neighbours from "./media_neighbours.mjs";
import { startMerpati } from "./merpati.mjs";
import { stop } from "./processes.mjs";
import { table } from "./statistics.mjs";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwAD" +
    "hgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const SENDS = 200; // Of each kind, one after another, so that 1 % of them are two.
const NEIGHBOUR_CONNECTIONS = 400; // Sends of the neighbour that await their answer at once.
const UNDISTURBED_MS = 10; // A faster undisturbed one counts as this.
const SETTLE_MS = 3000;

const ROWS = [
  ["nobody", null, 0],
  ["33 hosts that hang, 100 messages each", () => neighbours.hanging(33), 3300],
  ["200 black holes, 20 each", (folder) => neighbours.blackHoles(200, folder), 4000],
  ["200 slow hosts (2 s, all succeed), 20 each", () => neighbours.slow(200, PNG), 4000],
  ["36 dead hosts, 100 each", () => neighbours.dead(36), 3600],
];

export async function fairnessMedia({ scratch }) {
  const rows = [];
  for (const [name, open, count] of ROWS) {
    rows.push({ name, ...(await beside(scratch("fairness-media"), open, count)) });
  }
  return rows;
}

async function beside(folder, open, count) {
  const { processes, url, environment, command } = await startMerpati({ folder, devices: 1 });
  const good = await neighbours.healthy(PNG);
  const bad = await open?.(folder);
  const shop = { key: environment.BENCH_KEY, from: environment.BENCH_FROM };
  const other = newAccount(command);
  let stopped = false;
  const load = bad ? flood(url, other, bad.urls(count), () => stopped) : [];
  await pause(bad ? SETTLE_MS : 0);
  const accept = [];
  const sent = [];
  for (let index = 0; index < SENDS; index += 1) {
    accept.push(await timed(url, shop, "A", good.url(`a${index}`)));
    sent.push(await timed(url, shop, "B", good.url(`b${index}`)));
  }
  stopped = true;
  await stop(...processes);
  await Promise.allSettled(load);
  good.close();
  bad?.close();
  return { accept: percentiles(accept), sent: percentiles(sent) };
}

function newAccount(command) {
  const account = command("account", "create", "neighbour", "--rate", "none").id;
  const { key } = command("key", "create", account);
  const from = "6281299999999";
  command("device", "add", account, from);
  return { key, from };
}

/** Sends all URLs once, and again from the start, until it is told to stop. */
function flood(url, account, urls, stopped) {
  let next = 0;
  const worker = async () => {
    while (!stopped()) {
      await send(url, account, "A", urls[next++ % urls.length]).catch(() => pause(10));
    }
  };
  return Array.from({ length: NEIGHBOUR_CONNECTIONS }, worker);
}

async function timed(url, account, revision, media) {
  const began = performance.now();
  const answer = await send(url, account, revision, media);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
  return performance.now() - began;
}

/** Revision B is answered when the message is sent. */
function send(url, { key, from }, revision, media) {
  return fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: `Bearer ${key}`,
      "X-Api-Revision": revision,
    },
    body: JSON.stringify({ to: "6281234567890", from, Type: "media", url: media }),
  });
}

function percentiles(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) };
}

export function describeFairnessMedia(rows) {
  const limit = (kind) => 2 * Math.max(UNDISTURBED_MS, rows[0][kind].p99);
  const met = rows.every((row) => ["accept", "sent"].every((kind) => row[kind].p99 <= limit(kind)));
  if (!met) process.exitCode = 1;
  const cell = ({ p50, p99, max }) => [p50, p99, max].map((time) => time.toFixed(1)).join(" / ");
  return [
    `media beside bad hosts of another account, ${SENDS} sends of each kind (ms: p50 / p99 / max)`,
    table([
      ["beside", "accepted (probed)", "sent (probed, fetched)"],
      ...rows.map((row) => [row.name, cell(row.accept), cell(row.sent)]),
    ]),
    `  target p99 at most ${limit("accept").toFixed(0)} and ${limit("sent").toFixed(0)} ms: ` +
      (met ? "met" : "MISSED"),
  ].join("\n");
}
