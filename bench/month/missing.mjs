// What the gateway and its store say of messages that were not reported.
import { execFileSync } from "node:child_process";

const LOOK_UPS_MAX = 100;
const EPOCH = 1577836800000n; // Of the sequences in ids; see base/uuid.hpp.

/**
 * The messages that are missing, each as {id, shown, queue, queueTime}; `shown`: all that `merpati
 * message show` says; `queue`: their rows of the queue, at most one; `queueTime`: the time with
 * which `due_at` in there is compared. Of very many only {id}. Those that the gateway holds are
 * entered into the books instead.
 */
export function lookUpMissing(world, books) {
  const missing = [];
  for (const id of books.openIds()) {
    if (missing.length >= LOOK_UPS_MAX) {
      missing.push({ id });
      continue;
    }
    const shown = world.command("message", "show", id);
    if (shown.state === "held") books.hold(id, shown.details);
    else missing.push({ id, shown, ...queueOf(world, shown) });
  }
  return missing;
}

function queueOf(world, { id, from }) {
  const offset = query(
    world.file,
    "SELECT CAST(CAST(value AS TEXT) AS INTEGER) AS millis FROM meta WHERE name = 'clock_offset'",
  );
  const queue = query(
    world.file,
    `SELECT source, bucket, due_at, attempts, intent, last_details, failing_since, crashes,
       perhaps_sent, as_template FROM queue WHERE device = ${from} AND id = ${sequenceOf(id)}`,
  );
  return { queue, queueTime: world.now() + (offset[0]?.millis ?? 0) };
}

/** The row's key: the id's milliseconds, then 22 bits of `rand_a` and `rand_b`. */
function sequenceOf(id) {
  const bits = BigInt(`0x${id.replaceAll("-", "")}`);
  const millis = (bits >> 80n) - EPOCH;
  const counter = (((bits >> 64n) & 0xfffn) << 10n) | ((bits >> 52n) & 0x3ffn);
  return (millis << 22n) | counter;
}

function query(file, sql) {
  const options = ["-readonly", "-json", "-cmd", ".timeout 10000"];
  return JSON.parse(execFileSync("sqlite3", [...options, file, sql], { encoding: "utf8" }) || "[]");
}
