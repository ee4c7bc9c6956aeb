// Media messages: how many a second with one shared file and with a different file each, and the
// gateway's memory while it transfers many large files.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { load } from "./load.mjs";
import { LARGE_BYTES, DISTINCT_BYTES, SHARED_BYTES, startMediaHost } from "./media_host.mjs";
import { startMerpati } from "./merpati.mjs";
import { cpuSeconds, memory, stop, until } from "./processes.mjs";
import { grouped, median, spread, table } from "./statistics.mjs";

export const TARGET = 40; // MiB above idle.
const CONNECTIONS = 64;
const DEVICES = 16;
const FETCHES = 200;
const HOSTS = 20; // Ten fetches each.
const WATCH_SECONDS = 10;
const DRAIN_SECONDS_MAX = 120;
const MIB = 1024 * 1024;
const ROOM_BYTES = 32 * 1024 * MIB; // One account may use half of it.
const script = join(import.meta.dirname, "media.lua");

export async function media({ scratch, seconds, repetitions }) {
  const sides = { shared: [], distinct: [] };
  for (let round = 0; round < repetitions; round += 1) {
    sides.shared.push(await throughput(scratch, seconds, false));
    sides.distinct.push(await throughput(scratch, seconds, true));
  }
  return { sides, ...(await largeFetches(scratch)), target: TARGET };
}

async function throughput(scratch, seconds, distinct) {
  const host = await startMediaHost(scratch("host"), { hosts: 1 });
  const { processes, url, environment } = await startMerpati({
    folder: scratch("merpati"),
    devices: DEVICES,
  });
  const before = cpuSeconds(processes);
  const began = performance.now();
  const result = await load({
    url,
    script,
    connections: CONNECTIONS,
    seconds,
    environment: {
      ...environment,
      BENCH_MEDIA: distinct ? host.distinct : host.shared,
      BENCH_DISTINCT: distinct ? "1" : "0",
    },
  });
  const ended = () => finished(url);
  await until("the messages", async () => (await ended()).all >= result.accepted, {
    child: processes[0],
    seconds: DRAIN_SECONDS_MAX,
  });
  const elapsed = (performance.now() - began) / 1000;
  const { sent, all } = await ended();
  const cpu = cpuSeconds(processes) - before;
  await stop(...processes, host.process);
  return {
    ...result,
    sent,
    unsent: all - sent,
    perSecond: sent / elapsed,
    perCpuSecond: sent / cpu,
  };
}

/** All transfers run at the same time, at 1 MiB a second each. */
async function largeFetches(scratch) {
  const host = await startMediaHost(scratch("host"), { hosts: HOSTS });
  const { processes, url, environment } = await startMerpati({
    folder: scratch("merpati"),
    devices: DEVICES,
    settings: { "media.kept_bytes_max": ROOM_BYTES },
  });
  await pause(2000);
  const idle = memory(processes[0]).resident;
  const from = environment.BENCH_FROM.split(" ");
  const send = async (index, file) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Authorization: `Bearer ${environment.BENCH_KEY}`,
      },
      body: JSON.stringify({
        to: "6281234567890",
        from: from[index % from.length],
        Type: "media",
        url: file,
      }),
    });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  };
  // A host gets more than one slot once it has answered.
  for (let index = 0; index < HOSTS; index += 1) {
    await send(index, new URL(`/distinct/${index}`, host.large(index)).href);
  }
  await until("small files", async () => (await finished(url)).all >= HOSTS, {
    child: processes[0],
  });
  await Promise.all(
    Array.from({ length: FETCHES }, (_, index) => send(index, host.large(index))),
  );
  const underWay = async () => (await metric(url, "merpati_media_fetches_in_flight")) ?? 0;
  await until("the fetches", async () => (await underWay()) >= FETCHES, { child: processes[0] });
  let peak = 0;
  let fewest = FETCHES;
  for (const end = performance.now() + WATCH_SECONDS * 1000; performance.now() < end; ) {
    peak = Math.max(peak, memory(processes[0]).resident);
    fewest = Math.min(fewest, await underWay());
    await pause(200);
  }
  await stop(...processes, host.process);
  return { idle, peak, fewest, above: peak - idle };
}

async function finished(url) {
  const text = await metrics(url);
  const line = /^merpati_messages_finished_total\{.*state="(\w+)".*\} (\d+)/gm;
  const states = [...text.matchAll(line)];
  const sum = (wanted) =>
    states.reduce((total, [, state, count]) => total + (wanted(state) ? Number(count) : 0), 0);
  return { sent: sum((state) => state === "sent"), all: sum(() => true) };
}

async function metric(url, name) {
  const found = new RegExp(`^${name} (\\d+)`, "m").exec(await metrics(url));
  return found ? Number(found[1]) : undefined;
}

async function metrics(url) {
  return (await fetch(url.replace("/v1/send", "/metrics"))).text();
}

export function describeMedia({ sides, idle, peak, fewest, above, target }) {
  const row = (name, side) => [
    name,
    spread(side.map((result) => result.perSecond)),
    grouped(median(side.map((result) => result.perCpuSecond))),
    `${side.reduce((sum, result) => sum + result.unsent, 0)}`,
    `${side.reduce((sum, result) => sum + result.refused, 0)}`,
  ];
  return [
    `media: accepted, fetched, sent; ${CONNECTIONS} connections, ${DEVICES} devices, ` +
      "drain included",
    table([
      ["file", "messages per second", "per CPU-second", "failed", "refused"],
      row(`one, shared, ${SHARED_BYTES / MIB} MiB`, sides.shared),
      row(`one each, ${(DISTINCT_BYTES / 1024).toFixed(0)} KiB`, sides.distinct),
    ]),
    `  ${fewest} to ${FETCHES} fetches of ${LARGE_BYTES / MIB} MiB under way for ` +
      `${WATCH_SECONDS} s: ${peak.toFixed(1)} MiB resident, ` +
      `${above.toFixed(1)} above idle (${idle.toFixed(1)})`,
    `  target at most ${target} MiB above idle, all under way: ` +
      (above <= target && fewest === FETCHES ? "met" : "MISSED"),
  ].join("\n");
}
