// How long nobody works for an account when its node is killed or stopped, and another one takes
// over its devices and the messages that wait: a node that waits and then starts, and one that runs
// all the time, because both listen for each other.
import { join } from "node:path";
import { startMerpati } from "./merpati.mjs";
import { nodeSettings, startPostgres } from "./postgres.mjs";
import { freePort, stop, until } from "./processes.mjs";
import { grouped, spread, table } from "./statistics.mjs";

const TARGET = 3; // Seconds, of which those are without in which others cannot know of a kill.
const LEASE_SECONDS = 3; // The shortest that can be set: one that waits has to wait for it.
const DEAD_SECONDS = 1; // For so long the machine of a process must say that nobody listens.
const EPOCH = 1577836800000; // Of the sequences in ids; see base/uuid.hpp.
const ACCOUNT = 1;

/** Without and with cluster.listen. `unknown`: from when on the other one may know of a kill. */
const ways = {
  waits: { settings: {}, unknown: "the end of its lease", unknownFor: 0 },
  listens: {
    settings: { "cluster.listen": "127.0.0.1:0" },
    unknown: "SIGKILL",
    unknownFor: DEAD_SECONDS,
  },
};

export async function takeover({ scratch, devices, messages, repetitions }) {
  const took = {};
  for (const [name, { settings }] of Object.entries(ways)) {
    took[name] = await measure({ scratch, devices, messages, repetitions, settings, name });
  }
  return { devices, messages, took };
}

async function measure({ scratch, devices, messages, repetitions, settings, name }) {
  const server = await startPostgres(scratch(`postgres-${name}`));
  const folder = scratch(`node-1-${name}`);
  const key = join(folder, "merpati.key");
  const cluster = { "cluster.lease": `${LEASE_SECONDS}s`, ...settings };
  const side = await startMerpati({
    folder,
    settings: { ...nodeSettings(server, folder, key, "node-1"), ...cluster },
    prepare: () => fill(server, devices, messages),
  });
  const first = { name: "node-1", folder, url: side.url, changed: {}, process: side.processes[0] };
  const second = await another(scratch(`node-2-${name}`), server, key);
  await begin(side, server, second);
  const took = { killed: [], stopped: [] };
  let [worker, other] = [first, second];
  for (let round = 0; round < repetitions; round += 1) {
    for (const how of ["killed", "stopped"]) {
      const waits = name === "waits";
      // Only one that it has reached before is dead for it without the lease's end.
      const accepts = () => accept(other.url, side.environment);
      if (!waits) await until("an answer of the other", accepts, { child: other.process });
      took[how].push(await end({ side, server, worker, other, how, waits }));
      await begin(side, server, worker);
      [worker, other] = [other, worker];
    }
  }
  await stop(other.process, worker.process, server.process);
  server.remove();
  return took;
}

/** A node that does not run yet. */
async function another(folder, server, key) {
  const address = `127.0.0.1:${await freePort()}`;
  const settings = { ...nodeSettings(server, folder, key, "node-2"), "http.listen": address };
  return { name: "node-2", folder, url: `http://${address}/v1/send`, changed: settings };
}

/** Starts a node, which then waits, or works for nothing yet. */
async function begin(side, server, node) {
  const newest = "SELECT coalesce(max(generation), 0) FROM node WHERE state = 'live' AND name";
  const life = () => Number(server.sql(`${newest} = '${node.name}'`));
  const before = life();
  node.process = side.launch(node.changed, node.folder);
  await until(`${node.name} to join`, () => life() > before, { child: node.process });
}

/** Seconds in which nobody works, from the end of the lease, from the kill, or from SIGTERM. */
async function end({ side, server, worker, other, how, waits }) {
  let from = Date.now();
  worker.process.kill(how === "killed" ? "SIGKILL" : "SIGTERM");
  if (how === "killed" && waits) {
    const seen = "SELECT seen_at FROM node_heartbeat h JOIN node n ON n.id = h.node WHERE n.name";
    from = Number(server.sql(`${seen} = '${worker.name}'`)) + LEASE_SECONDS * 1000;
  }
  // One that runs passes on what the other still accepts.
  const owner = `SELECT n.name FROM shard s JOIN node n ON n.id = s.node WHERE s.id = ${ACCOUNT}`;
  const accepts = async () =>
    (await accept(other.url, side.environment)) && server.sql(owner) === other.name;
  await until("another node to accept", accepts, { child: other.process, every: 10 });
  const seconds = (Date.now() - from) / 1000;
  await worker.process.ended;
  return seconds;
}

/** Whether a node accepts a message, which is due in five hours. */
async function accept(url, { BENCH_KEY: key, BENCH_FROM: from }) {
  const message = { to: "6281234567890", from, message: "Halo!", Type: "text", delay: 18_000 };
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const options = { method: "POST", headers, body: JSON.stringify(message) };
  return fetch(url, options).then((answer) => answer.ok, () => false);
}

/** More devices like the first one, and messages that wait for all of them. */
function fill({ sql }, devices, messages) {
  const now = Date.now();
  const from = now - 3_600_000;
  sql(`
    INSERT INTO device(number, account, connector, state, webhook_url, gap_min, jitter_max,
        per_day_max, created_at, state_since)
      SELECT 6281300000000 + n, account, connector, state, webhook_url, gap_min, jitter_max,
        per_day_max, created_at, state_since FROM device, generate_series(2, ${devices}) AS n;
    INSERT INTO message(id, tail, account, device, recipient, body, flags, accepted_at, due_at)
      SELECT ((at - ${EPOCH}) << 22) | (2 * n & 4194303), n, 1, number, '6281234567890',
        'Halo, kode verifikasi Anda adalah ' || n, 4, at, at + 4200000 + n * 7919 % 14400000
      FROM (SELECT n, ${from} + n * 3600000 / ${messages} AS at, d.number
        FROM generate_series(0::bigint, ${messages - 1}) AS n JOIN
          (SELECT number, row_number() OVER () - 1 AS place FROM device) AS d
          ON d.place = n % ${devices}) AS each;
    INSERT INTO queue(device, source, bucket, id, tail, due_at, attempts, intent)
      SELECT device, 0, due_at / 16384, id, tail, due_at, 0, 0 FROM message;
    INSERT INTO activity(account, span) SELECT DISTINCT account, id >> 40 FROM message;
    ANALYZE;
    CHECKPOINT;`);
}

export function describeTakeover({ devices, messages, took }) {
  const rows = Object.entries(took).flatMap(([name, { killed, stopped }]) => [
    [`killed; the other ${name}`, spread(killed, 2), ways[name].unknown],
    [`stopped; the other ${name}`, spread(stopped, 2), "SIGTERM"],
  ]);
  const verdicts = Object.entries(took).map(([name, { killed }]) => {
    const [slowest, most] = [Math.max(...killed), TARGET + ways[name].unknownFor];
    return (
      `  slowest after a kill where the other ${name}: ${slowest.toFixed(2)} s, ` +
      `target at most ${most}: ${slowest <= most ? "met" : "MISSED"}`
    );
  });
  return [
    `nodes, takeover: ${grouped(devices)} devices, ${grouped(messages)} messages that wait`,
    table([
      ["the node that worked was", "seconds until another one accepts", "counted from"],
      ...rows,
    ]),
    ...verdicts,
  ].join("\n");
}
