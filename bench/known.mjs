// What callers with a valid key can take from others: all connections, unread answers, unfinished
// bodies, and requests that are left while they wait. An honest account calls meanwhile.
import { request as ask } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { connectAll, honestCalls, peakWhile } from "./crowd.mjs";
import { startMerpati } from "./merpati.mjs";
import { memory, stop } from "./processes.mjs";
import { table } from "./statistics.mjs";

export const TARGET = 96;
const CONNECTIONS = 1_000; // http.connections_max of the gateway.
const CLIENTS = CONNECTIONS;
const SCOPES = "send,account:read,messages:read";
const MESSAGES = 1_000;
const IN_A_ROW = 100;
const SETTLE_MS = 6_000; // Refused clients are closed, and the connections of the start.
const NOTICE_SECONDS = 4; // A hang-up is noticed within about one.

const to = "6281234567890";

const attacks = {
  "idle connections": ({ key }) => get("/v1/account", key),
  "that never read pages of messages": ({ key }) => get("/v1/messages?limit=1000", key).repeat(20),
  "with half a body": ({ key }) =>
    get("/v1/account", key) + post("/v1/send", key, "x".repeat(30_000), 60_000),
  "that hang up while they wait": ({ key, from }) =>
    post("/v1/send", key, JSON.stringify({ to, from, Type: "text", pesan: "halo", delay: 60 })),
};

export async function known({ scratch }) {
  const rows = [];
  for (const [name, request] of Object.entries(attacks)) {
    rows.push(await attack(name, request, scratch("known")));
  }
  return { target: TARGET, rows };
}

async function attack(name, request, folder) {
  let honest;
  let key;
  const { processes, url, environment } = await startMerpati({
    folder,
    settings: { "http.connections_max": CONNECTIONS },
    prepare: (command, account) => {
      const another = command("account", "create", "honest", "--rate", "none").id;
      honest = command("key", "create", another, "--scopes", SCOPES).key;
      key = command("key", "create", account, "--scopes", SCOPES).key;
    },
  });
  const { port } = new URL(url);
  const bad = { key, from: environment.BENCH_FROM };
  await fill(url, bad);
  const before = memory(processes[0]).resident;
  const { peak, answer } = await peakWhile(processes[0], async () => {
    const bytes = request(bad);
    const open = await connectAll(port, {
      bytes,
      clients: CLIENTS,
      inARow: IN_A_ROW,
      pauseMs: 50,
    });
    await pause(SETTLE_MS);
    const calls = await honestCalls(port, get("/v1/account", honest));
    await pause(1_000);
    return { open, calls };
  });
  answer.open.forEach((socket) => socket.destroy());
  await pause(NOTICE_SECONDS * 1_000);
  const left = await openConnections(port);
  await stop(...processes);
  return { name, clients: CLIENTS, before, peak, ...answer.calls, left };
}

const head = (method, path, key) =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
const get = (path, key) => `${head("GET", path, key)}\r\n`;
const post = (path, key, body, length = body.length) =>
  `${head("POST", path, key)}X-Api-Revision: B\r\nContent-Length: ${length}\r\n\r\n${body}`;

/** Stores messages whose rows are as large as callers can make them. */
async function fill(url, { key, from }) {
  const body = JSON.stringify({
    to,
    from,
    Type: "text",
    message: "halo",
    callbackStatus: `https://127.0.0.1/${"x".repeat(1_900)}`,
    delay: 60,
  });
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  for (let sent = 0; sent < MESSAGES; sent += IN_A_ROW) {
    const sends = Array.from({ length: IN_A_ROW }, () =>
      answerOf(url, { method: "POST", headers }, body),
    );
    for (const { status } of await Promise.all(sends)) {
      if (status !== 200) throw new Error(`a send was answered ${status}`);
    }
  }
}

/** Over a connection of its own, which is closed afterwards. */
function answerOf(url, options = {}, body = "") {
  return new Promise((resolve, reject) => {
    const asked = ask(url, { ...options, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece) => (text += piece));
      answer.on("end", () => resolve({ status: answer.statusCode, text }));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

async function openConnections(port) {
  const { text } = await answerOf(`http://127.0.0.1:${port}/metrics`);
  return Number(/^merpati_http_connections (\d+)$/m.exec(text)[1]);
}

export function describeKnown({ rows, target }) {
  const met = rows.every(
    ({ peak, served, tries, left }) => peak <= target && served === tries && left < IN_A_ROW,
  );
  return [
    `known: clients with one account's key, and an honest account; ${CONNECTIONS} connections`,
    table([
      ["clients", "resident before", "at most", "honest served", "open after the hang-up"],
      ...rows.map(({ name, clients, before, peak, served, tries, left }) => [
        `${clients} ${name}`,
        `${before.toFixed(1)} MiB`,
        `${peak.toFixed(1)} MiB`,
        `${served} of ${tries}`,
        `${left}`,
      ]),
    ]),
    `  target at most ${target} MiB, every honest one, none left open: ${met ? "met" : "MISSED"}`,
  ].join("\n");
}
