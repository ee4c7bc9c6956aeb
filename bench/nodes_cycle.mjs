// The whole life of a message with an SQLite file, and with a database on the same machine: in
// messages a second, and per CPU-second of the gateway and its database together. Also the bytes of
// a message that has been sent and called back: on the disk, and in the database's log, of which
// every standby gets a copy.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { measure } from "./cycle.mjs";
import * as merpati from "./merpati.mjs";
import * as postgres from "./postgres.mjs";
import { stop } from "./processes.mjs";
import { startSink } from "./sink.mjs";
import { grouped, median, spread, table } from "./statistics.mjs";

export const TARGET = 0.35; // Of SQLite's messages per CPU-second.
export const TARGET_RATE = 10_000; // Messages a second.
const CONNECTIONS = 128; // Enough that callers are not what either side waits for.
const DEVICES = 16;

export async function cycleInDatabase({ scratch, seconds, repetitions }) {
  const sink = await startSink(scratch("sink"));
  const sides = { sqlite: [], postgres: [] };
  for (let round = 0; round < repetitions; round += 1) {
    const file = scratch("sqlite");
    const onFile = () =>
      merpati.startMerpati({ folder: file, devices: DEVICES, callback: sink.url });
    sides.sqlite.push(await measureSide(onFile, file, sink, seconds));
    const database = scratch("postgres");
    const server = await postgres.startPostgres(database);
    let logged = 0;
    const inDatabase = async () => {
      const node = await startNode(server, scratch("node"), sink);
      logged = server.logEnd();
      return node;
    };
    const result = await measureSide(inDatabase, join(database, "data/base"), sink, seconds);
    sides.postgres.push({ ...result, log: (server.logEnd() - logged) / result.completed });
    server.remove();
  }
  await stop(sink.process);
  const rate = (side) => median(side.map((result) => result.perCpuSecond));
  return {
    sides,
    ratio: rate(sides.postgres) / rate(sides.sqlite),
    perSecond: median(sides.postgres.map((result) => result.perSecond)),
  };
}

/** `folder`: with the store's files. */
async function measureSide(startSide, folder, sink, seconds) {
  let before = 0;
  const start = async () => {
    const side = await startSide();
    before = bytesIn(folder);
    return side;
  };
  const options = { connections: CONNECTIONS };
  const result = await measure(start, merpati.script, sink, seconds, options);
  return { ...result, bytes: (bytesIn(folder) - before) / result.completed };
}

function bytesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .reduce((sum, stat) => sum + (stat?.isFile() ? stat.size : 0), 0);
}

/** The time of the database counts with the gateway's; both are stopped together. */
async function startNode(server, folder, sink) {
  const side = await merpati.startMerpati({
    folder,
    devices: DEVICES,
    callback: sink.url,
    settings: postgres.nodeSettings(server, folder, join(folder, "merpati.key"), "node-1"),
  });
  return { ...side, processes: [server.process, ...side.processes] };
}

export function describeCycleInDatabase({ sides, ratio, perSecond }) {
  const row = (name, side, durability) => [
    name,
    spread(side.map((result) => result.perCpuSecond)),
    spread(side.map((result) => result.perSecond)),
    grouped(median(side.map((result) => result.bytes))),
    side[0].log === undefined ? "" : grouped(median(side.map((result) => result.log))),
    `${side.reduce((sum, result) => sum + result.missing, 0)}`,
    durability,
  ];
  const verdict = (isMet) => (isMet ? "met" : "MISSED");
  return [
    `nodes, cycle: accepted, sent, called back; ${CONNECTIONS} connections, ${DEVICES} devices; ` +
      "bytes of each message on the disk, and in the log",
    table([
      ["store", "messages per CPU-second", "per second", "bytes", "log", "missing", "durable by"],
      row("a file", sides.sqlite, merpati.durability),
      row("a database, its time included", sides.postgres, postgres.durability),
    ]),
    `  ratio per CPU-second ${ratio.toFixed(2)}, target at least ${TARGET}: ` +
      verdict(ratio >= TARGET),
    `  per second ${grouped(perSecond)}, target at least ${grouped(TARGET_RATE)}: ` +
      verdict(perSecond >= TARGET_RATE),
  ].join("\n");
}
