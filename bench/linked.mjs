// Linked devices against the stand-in platform: memory of gateway and worker, messages sent a
// second, and how long devices are away after kill -9 of the worker or of the gateway.
//
// BENCH_LINKED_DEVICES ("1 20 100"): numbers of devices, each measured with a new gateway.
import { setTimeout as pause } from "node:timers/promises";
import { startLinked, startPlatform } from "./linked_world.mjs";
import { cpuSeconds, memory, stop, until } from "./processes.mjs";
import { spread, table } from "./statistics.mjs";

export const TARGET = 250; // MiB of both processes, with this many devices:
const TARGET_DEVICES = 100;
const MESSAGES = 400; // In total; each device sends an equal number.
const FRIENDS = 3;
const CALLERS = 16;
const SETTLE_SECONDS = 8;
const KILLS = 5; // Of the worker, and of the gateway.

export async function linked({ scratch }) {
  const counts = (process.env.BENCH_LINKED_DEVICES ?? "1 20 100").split(" ").map(Number);
  const rows = [];
  for (const devices of counts) rows.push(await measure(scratch, devices));
  return { rows, target: TARGET };
}

async function measure(scratch, devices) {
  const platform = await startPlatform(scratch("platform"));
  const side = await startLinked({ folder: scratch("linked"), platform, devices });
  await stop(side.gateway); // Restarts it, because pairing leaves memory in use.
  await side.merpati.startAgain();
  await side.connected();
  const row = { devices, connected: await weigh(side) };
  const friends = await platform.friends(FRIENDS);
  await send(side, friends, FRIENDS); // Warm-up: looks numbers up, and begins sessions.
  row.sending = await send(side, friends, Math.max(1, Math.round(MESSAGES / devices)));
  row.sent = await weigh(side);
  row.away = { worker: [], gateway: [] };
  // In turns, because a worker that dies repeatedly is restarted with a delay.
  for (let round = 0; round < KILLS; round += 1) {
    for (const victim of ["worker", "gateway"]) {
      row.away[victim].push(await kill(side, platform, victim));
    }
  }
  row.killed = await weigh(side);
  await stop(side.gateway, platform.process);
  return row;
}

/** Resident memory in MiB, after an idle time. */
async function weigh(side) {
  await pause(SETTLE_SECONDS * 1000);
  const gateway = memory(side.gateway).resident;
  const worker = memory(side.worker).resident;
  return { gateway, worker, both: gateway + worker };
}

/** Sends `each` messages from each device at once; waits until the platform has taken the last. */
async function send(side, friends, each) {
  const total = each * side.numbers.length;
  const processes = [side.gateway, side.worker];
  const goal = (await side.sent()) + total;
  const cpu = cpuSeconds(processes);
  const begun = performance.now();
  let next = 0;
  const call = async () => {
    for (let index = next++; index < total; index = next++) {
      const from = side.numbers[index % side.numbers.length];
      const to = friends[Math.floor(index / side.numbers.length) % friends.length];
      await side.post({ from, to, message: `Pesanan ${index} sudah siap diambil.`, Type: "text" });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  const done = async () => (await side.sent()) >= goal;
  await until("all messages to be sent", done, { child: side.gateway, seconds: 300, every: 10 });
  const seconds = (performance.now() - begun) / 1000;
  return { total, perSecond: total / seconds, perCpuSecond: total / (cpuSeconds(processes) - cpu) };
}

/** Seconds from the kill until all devices are connected again. */
async function kill(side, platform, victim) {
  const { last } = await platform.ask("events", { after: Number.MAX_SAFE_INTEGER });
  const begun = performance.now();
  if (victim === "worker") {
    process.kill(side.worker.pid, "SIGKILL");
  } else {
    side.gateway.kill("SIGKILL");
    await side.gateway.ended;
    await side.merpati.startAgain();
  }
  const back = async () => {
    const { events } = await platform.ask("events", { match: { type: "login" }, after: last });
    return new Set(events.map(({ number }) => number)).size === side.numbers.length;
  };
  await until("all devices to log in", back, { child: side.gateway, seconds: 120, every: 20 });
  await side.connected();
  return (performance.now() - begun) / 1000;
}

export function describeLinked({ rows, target }) {
  const mib = ({ both, gateway, worker }) =>
    `${both.toFixed(0)} (${gateway.toFixed(0)} + ${worker.toFixed(0)})`;
  const most = rows
    .filter(({ devices }) => devices === TARGET_DEVICES)
    .flatMap(({ connected, sent, killed }) => [connected.both, sent.both, killed.both]);
  const met = Math.max(...most) <= target;
  return [
    "linked: devices of the stand-in platform; resident MiB of both (gateway + worker)",
    table([
      ["devices", "connected", "after sending", "after kills", "messages a second", "a CPU-second"],
      ...rows.map(({ devices, connected, sent, killed, sending }) => [
        `${devices}`,
        mib(connected),
        mib(sent),
        mib(killed),
        sending.perSecond.toFixed(1),
        sending.perCpuSecond.toFixed(1),
      ]),
    ]),
    ...rows.map(
      ({ devices, away }) =>
        `  ${devices} devices: all connected again after ${spread(away.worker, 2)} s when the ` +
        `worker is killed, ${spread(away.gateway, 2)} s when the gateway is`,
    ),
    ...(most.length > 0
      ? [`  target at most ${target} MiB with ${TARGET_DEVICES}: ${met ? "met" : "MISSED"}`]
      : []),
  ].join("\n");
}
