// What callers with a valid key can take from others: all connections, unread answers, unfinished
// bodies, and requests that are left while they wait. An honest account calls meanwhile.
import { request as ask } from "node:http";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { startMerpati } from "./merpati.mjs";
import { memory, stop } from "./processes.mjs";
import { table } from "./statistics.mjs";

export const TARGET = 96;
const CONNECTIONS = 1_000; // http.connections_max of the gateway.
const CLIENTS = CONNECTIONS;
const SCOPES = "send,account:read,messages:read";
const MESSAGES = 1_000;
const BAD_NEIGHBOUR = "127.0.0.2";
const HONEST = "127.0.0.3";
const HONEST_TRIES = 20;
const HONEST_PATIENCE_MS = 5_000;
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
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, memory(processes[0]).resident);
  }, 100);
  const open = await connectAll(port, request(bad));
  await pause(SETTLE_MS);
  let served = 0;
  for (let round = 0; round < HONEST_TRIES; round += 1) {
    served += await isServed(port, honest);
  }
  await pause(1_000);
  clearInterval(watch);
  open.forEach((socket) => socket.destroy());
  await pause(NOTICE_SECONDS * 1_000);
  const left = await openConnections(port);
  await stop(...processes);
  return { name, clients: CLIENTS, before, peak, served, tries: HONEST_TRIES, left };
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

/** Clients that send these bytes and do not read. The gateway may close some. */
async function connectAll(port, bytes) {
  const open = new Set();
  for (let begun = 0; begun < CLIENTS; begun += IN_A_ROW) {
    for (let more = 0; more < IN_A_ROW; more += 1) {
      const socket = connect({ port, host: "127.0.0.1", localAddress: BAD_NEIGHBOUR });
      socket.pause();
      socket.on("error", () => {});
      socket.on("close", () => open.delete(socket));
      socket.on("connect", () => socket.write(bytes));
      open.add(socket);
    }
    await pause(50);
  }
  return open;
}

/** One call of the honest account over a new connection; resolves with 1 if the answer was 200. */
function isServed(port, key) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: HONEST });
    const end = (result) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(HONEST_PATIENCE_MS, () => end(0));
    socket.on("error", () => end(0));
    socket.on("close", () => end(0));
    socket.on("data", (piece) => end(`${piece}`.startsWith("HTTP/1.1 200") ? 1 : 0));
    socket.write(get("/v1/account", key));
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
