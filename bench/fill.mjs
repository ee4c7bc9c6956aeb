// A store with a million messages, made by SQL in some seconds.
import { execFileSync } from "node:child_process";

const EPOCH = 1577836800000; // Of the sequences of ids: base/uuid.hpp.

/** Messages of account 1 that wait: accepted in the last hour, due in 10 minutes to 5 hours. */
export function fillWithWaiting(file, numbers, count) {
  const now = Date.now();
  run(file, [
    ...messages({ numbers, count, from: now - 3_600_000, to: now, dueIn: [600_000, 17_400_000] }),
    `INSERT INTO queue(device, source, bucket, id, tail, due_at, attempts, intent)
       SELECT device, 0, due_at / 16384, id, tail, due_at, 0, 0 FROM message ORDER BY 1, 2, 3, 4;`,
  ]);
}

/** Messages of account 1 that were sent and whose callbacks were delivered in these days. */
export function fillWithFinished(file, numbers, count, { daysAgo: [first, last] }) {
  const day = 86_400_000;
  const [from, to] = [Date.now() - first * day, Date.now() - last * day];
  run(file, [
    ...messages({ numbers, count, from, to, dueIn: [1000, 1000] }),
    `INSERT INTO completion(id, state, code, details, platform_id, finished_at, attempts, event)
       SELECT id, 2, 200, 'Success', printf('sim-%016x', id), due_at, 1, id + 1 FROM message;`,
    `INSERT INTO callback(id, tail, account, kind, message, message_tail, url, origin_key, body,
       created_at, state, attempts, due_at, last_status, last_error, updated_at)
       SELECT id + 1, tail, account, 0, id, tail, 'https://toko.example.com/status', 1,
         printf('%0240d', id), due_at, 1, 1, due_at, 200, '', due_at FROM message;`,
  ]);
}

/** How many of the messages that `fillWithFinished` made are gone. */
export function removedOf(file, count) {
  const [first] = query(file, `SELECT min(id) & ${2 ** 22 - 1} FROM completion`);
  return first === "" ? count : Number(first) / 2;
}

/** Ids ascend with the time of acceptance; each leaves the next one free, for a callback. */
function messages({ numbers, count, from, to, dueIn: [soonest, latest] }) {
  const time = `${from} + i * ${to - from} / ${count}`;
  const device = `CASE i % ${numbers.length} ${numbers
    .map((number, index) => `WHEN ${index} THEN ${number}`)
    .join(" ")} END`;
  return [
    `WITH RECURSIVE each(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM each WHERE i + 1 < ${count})
     INSERT INTO message(id, tail, account, device, recipient, body, flags, accepted_at, due_at)
       SELECT ((${time} - ${EPOCH}) << 22) | (2 * i), random() & ${2 ** 50 - 1}, 1, ${device},
         '6281234567890', printf('Halo, kode verifikasi Anda adalah %0120d.', i), 4, ${time},
         ${time} + ${soonest} + abs(random() % ${latest - soonest + 1}) FROM each;`,
    "INSERT OR IGNORE INTO activity(account, span) SELECT DISTINCT account, id >> 40 FROM message;",
  ];
}

function run(file, statements) {
  const sql = ["PRAGMA synchronous = OFF;", "BEGIN;", ...statements, "COMMIT;"].join("\n");
  execFileSync("sqlite3", [file], { input: sql, stdio: ["pipe", "ignore", "inherit"] });
  execFileSync("sync", [file]); // Its pages must not be written while something is measured.
}

function query(file, sql) {
  const output = execFileSync("sqlite3", ["-readonly", file, sql], { encoding: "utf8" });
  return output.split("\n");
}
