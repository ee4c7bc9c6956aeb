// What it costs that a node's commits lock its row, and are refused once others have taken over:
// transactions like those of a node under load, in which messages are accepted, sent and called
// back, with the lock and without. pgbench sends them as a node does.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMerpati } from "./merpati.mjs";
import { nodeSettings, startPostgres } from "./postgres.mjs";
import { cpuSeconds, stop } from "./processes.mjs";
import { median, spread, table } from "./statistics.mjs";

const TARGET = 0.03; // Of the messages a second.
const MESSAGES = 64; // Of each transaction: while half of 128 callers wait for it, half ask again.
const OWN_STATEMENTS = `
  SET LOCAL idle_in_transaction_session_timeout = 4000;
  SELECT pg_current_xact_id()::text::bigint;`; // Of each transaction, with the lock or without.
const NODE = "id = 1 AND generation = 1";
const TURNS = 4; // Of each side in a repetition, because the difference is small.

export async function fence({ scratch, seconds, repetitions }) {
  const server = await startPostgres(scratch("postgres"));
  const folder = scratch("node");
  const settings = nodeSettings(server, folder, join(folder, "merpati.key"), "node-1");
  const side = await startMerpati({ folder, settings });
  await stop(...side.processes); // It has made the tables.
  server.sql("UPDATE node SET id = 1, generation = 1, state = 'live'");
  const lock = `SELECT 1 / count(*) FROM (SELECT 1 FROM node WHERE ${NODE} FOR SHARE) AS own;`;
  const files = { without: join(folder, "without.sql"), with: join(folder, "with.sql") };
  writeFileSync(files.without, transaction(""));
  writeFileSync(files.with, transaction(lock));
  const sides = { without: [], with: [] };
  let first = 0; // Of the ids of a turn.
  for (let turn = 0; turn < repetitions * TURNS; turn += 1) {
    const names = Object.keys(sides);
    for (const name of turn % 2 ? names.reverse() : names) {
      server.sql("CHECKPOINT");
      first += 1e9;
      sides[name].push(measure(server, files[name], first, seconds));
    }
  }
  await stop(server.process);
  server.remove();
  const ratios = sides.with.map(({ rate }, turn) => rate / sides.without[turn].rate);
  return { sides, ratios, cost: 1 - median(ratios) };
}

/** Messages a second, and the database's CPU time of each. */
function measure(server, file, first, seconds) {
  const before = cpuSeconds([server.process]);
  const flags = ["--no-vacuum", "-M", "prepared", "-D", `first=${first}`, "-T", `${seconds}`];
  const output = server.pgbench(...flags, "-f", file);
  const count = MESSAGES * Number(/transactions actually processed: (\d+)/.exec(output)[1]);
  const rate = MESSAGES * Number(/tps = ([\d.]+)/.exec(output)[1]);
  return { rate, microseconds: ((cpuSeconds([server.process]) - before) / count) * 1e6 };
}

/** A script of pgbench, which sends it in a pipeline, as a node does. */
function transaction(lock) {
  const messages = Array.from({ length: MESSAGES }, (_, index) =>
    message(`:first::bigint + ${index}`),
  );
  return [
    `\\set first :first + ${MESSAGES}`,
    "\\startpipeline",
    ...["BEGIN;", ...(lock ? [lock] : []), OWN_STATEMENTS, ...messages, "COMMIT;"],
    "\\endpipeline",
  ].join("\n");
}

/** It is accepted, sent and called back. */
function message(id) {
  const number = "6281110000000";
  return `
    INSERT INTO message(id, tail, account, device, recipient, body, flags, accepted_at, due_at)
      VALUES(${id}, 1, 1, ${number}, '6281234567890',
        'Halo, kode verifikasi Anda adalah 482913.', 4, 1, 1);
    INSERT INTO queue(device, source, bucket, id, tail, due_at, attempts, intent)
      VALUES(${number}, 0, 1, ${id}, 1, 1, 0, 0);
    DELETE FROM queue WHERE device = ${number} AND source = 0 AND bucket = 1 AND id = ${id};
    INSERT INTO completion(id, state, code, details, platform_id, finished_at, attempts)
      VALUES(${id}, 1, 1, 'Success', 'platform-id', 1, 1);
    INSERT INTO callback(id, tail, account, kind, message, message_tail, url, origin_key, body,
        created_at, state, attempts, due_at, last_status, last_error, updated_at)
      VALUES(${id}, 1, 1, 0, ${id}, 1, 'http://127.0.0.1/status', 1, '', 1, 0, 0, 1, 0, '', 1);
    UPDATE callback SET state = 1, attempts = 1, last_status = 200, updated_at = 2
      WHERE id = ${id};`;
}

export function describeFence({ sides, ratios, cost }) {
  const row = (name, side) => [
    name,
    spread(side.map(({ rate }) => rate)),
    spread(side.map(({ microseconds }) => microseconds), 1),
  ];
  const percent = (share) => `${(share * 100).toFixed(1)} %`;
  return [
    `nodes, fence: transactions of ${MESSAGES} messages, ${ratios.length} pairs of turns`,
    table([
      ["transactions", "messages a second", "database's CPU us of each"],
      row("without the lock", sides.without),
      row("with it", sides.with),
    ]),
    `  cost, by the median pair, ${percent(cost)}, target at most ${percent(TARGET)}: ` +
      (cost <= TARGET ? "met" : "MISSED"),
  ].join("\n");
}
