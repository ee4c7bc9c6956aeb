// The cost of ten thousand idle event streams.
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { startMerpati } from "./merpati.mjs";
import { cpuSeconds, memory, stop } from "./processes.mjs";

export const TARGET = 100;
const STREAMS = 10_000;
const ACCOUNTS = 20; // One account may not have so many streams.
const IN_A_ROW = 200;
const WATCH_SECONDS = 20; // Long enough for a heartbeat.

export async function events({ scratch }) {
  const { processes, url, command } = await startMerpati({
    folder: scratch("events"),
    settings: { "http.connections_max": 3 * STREAMS },
  });
  const { port } = new URL(url);
  const keys = Array.from({ length: ACCOUNTS }, (_, index) => {
    const account = command("account", "create", `bench ${index}`, "--rate", "none").id;
    return command("key", "create", account, "--scopes", "messages:read").key;
  });
  const idle = memory(processes[0]).resident;
  const open = new Set();
  let begun = 0;
  let heard = 0;
  for (let index = 0; index < STREAMS; index += 1) {
    const socket = connect({ port, host: "127.0.0.1", localAddress: `127.0.0.${2 + (index % 8)}` });
    let first = true;
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    socket.on("data", (piece) => {
      heard += piece.includes(": \n\n") ? 1 : 0;
      begun += first && piece.includes("200 OK") ? 1 : 0;
      first = false;
    });
    const key = keys[index % ACCOUNTS];
    socket.write(`GET /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    open.add(socket);
    if (index % IN_A_ROW === IN_A_ROW - 1) {
      await pause(20);
    }
  }
  for (let waited = 0; begun < STREAMS && waited < 100; waited += 1) {
    await pause(100);
  }
  const before = cpuSeconds(processes);
  await pause(WATCH_SECONDS * 1000);
  const cpu = (cpuSeconds(processes) - before) / WATCH_SECONDS;
  const waiting = memory(processes[0]).resident;
  const kept = open.size;
  open.forEach((socket) => socket.destroy());
  await stop(...processes);
  return { streams: STREAMS, begun, kept, heard, idle, waiting, cpu, target: TARGET };
}

export function describeEvents({ streams, begun, kept, heard, idle, waiting, cpu, target }) {
  const met = waiting - idle <= target && begun === streams && kept === streams;
  return [
    `events: ${streams} streams that wait`,
    `  begun ${begun}, still open ${kept}, heartbeats heard ${heard}`,
    `  resident ${idle.toFixed(1)} MiB before, ${waiting.toFixed(1)} MiB with them, ` +
      `CPU ${(cpu * 100).toFixed(2)} % of a core`,
    `  target at most ${target} MiB for all: ${met ? "met" : "MISSED"}`,
  ].join("\n");
}
