// Fills a store with millions of messages by SQL, in seconds.
import { execFileSync } from "node:child_process";

const EPOCH = 1577836800000; // Of the sequences in ids; see base/uuid.hpp.

/** Waiting messages of account 1: accepted in the last hour, due in 10 minutes to 5 hours. */
export function fillWithWaiting(file, numbers, count) {
  const now = Date.now();
  run(file, [
    ...messages({ numbers, count, from: now - 3_600_000, to: now, dueIn: [600_000, 17_400_000] }),
    `INSERT INTO queue(device, source, bucket, id, tail, due_at, attempts, intent)
       SELECT device, 0, due_at / 16384, id, tail, due_at, 0, 0 FROM message ORDER BY 1, 2, 3, 4;`,
  ]);
}

/** Sent messages of account 1 with delivered callbacks, from these days. */
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

/**
 * Idempotency keys of account 1, of which `perSecond` expire each second (they are kept for 24 h),
 * the first in `firstIn` milliseconds.
 */
export function fillWithKeys(file, count, { firstIn, perSecond }) {
  const first = Date.now() - 86_400_000 + firstIn;
  run(file, [
    `WITH RECURSIVE each(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM each WHERE i + 1 < ${count})
     INSERT INTO idempotency(account, key, fingerprint, status, answer, created_at)
       SELECT 1, printf('order-%016x', (i * 7919) % ${count}), randomblob(32), 200,
         '{"status":"accepted"}', ${first} + i * 1000 / ${perSecond} FROM each;`,
  ]);
}

/** How many idempotency keys have expired by now and are still stored. */
export function expiredKeys(file) {
  const expired = `created_at < ${Date.now() - 86_400_000}`;
  return Number(query(file, `SELECT count(*) FROM idempotency WHERE ${expired}`)[0]);
}

/** Numbers that `fillForSearches` writes to: recipient(0) to recipient(RECIPIENTS - 1). */
export const RECIPIENTS = 2_000_000;
export const recipient = (index) => `62812${String(index).padStart(8, "0")}`;
/** Only in the details of one message of account 1, the oldest that failed. */
export const RAREST_WORD = "unikum";

/**
 * Messages of the last 29 days. One in 25 000 is of account 2, from `rareNumber`. The newest 10 000
 * wait; one in 20 of the others has failed, with a callback; the remaining ones were sent.
 */
export function fillForSearches(file, numbers, rareNumber, count) {
  const now = Date.now();
  const waiting = 10_000;
  run(file, [
    ...messages({
      numbers,
      count,
      from: now - 29 * 86_400_000,
      to: now - 60_000,
      dueIn: [18_000_000, 18_000_000],
      recipient: `printf('62812%08d', (i * 7919) % ${RECIPIENTS})`,
      text: "'Halo, kode verifikasi Anda sudah kami kirim.'",
      rare: { every: 25_000, account: 2, device: rareNumber },
    }),
    `INSERT INTO queue(device, source, bucket, id, tail, due_at, attempts, intent)
       SELECT device, 0, due_at / 16384, id, tail, due_at, 0, 0 FROM
         (SELECT * FROM message ORDER BY id DESC LIMIT ${waiting}) ORDER BY 1, 2, 3, 4;`,
    `INSERT INTO completion(id, state, code, details, platform_id, finished_at, attempts, event)
       SELECT id, iif(i % 20 = 3, 3, 2), iif(i % 20 = 3, 500 + 501 * (i % 40 = 3), 200),
         iif(i = 3, '${RAREST_WORD}', iif(i % 20 = 3, 'Nomor tidak terdaftar, kode ' || (i % 1000),
           'Success')),
         printf('sim-%016x', id), accepted_at, 1, iif(i % 20 = 3, id + 1, NULL)
       FROM (SELECT id, accepted_at, row_number() OVER (ORDER BY id) - 1 AS i FROM message)
       WHERE i < ${count - waiting};`,
    `INSERT INTO callback(id, tail, account, kind, message, message_tail, url, origin_key, body,
       created_at, state, attempts, due_at, last_status, last_error, updated_at)
       SELECT m.id + 1, tail, account, 0, m.id, tail, 'https://toko.example.com/status', 1,
         '{"status":"failed"}', due_at, 1, 1, due_at, 200, '', due_at
       FROM completion c JOIN message m ON m.id = c.id WHERE c.event IS NOT NULL;`,
  ]);
}

/** How many messages are newer than the last block of summaries. */
export function notSummarised(file) {
  const newest = "coalesce((SELECT max(last) FROM message_block), 0)";
  return Number(query(file, `SELECT count(*) FROM message WHERE id > ${newest}`)[0]);
}

/** How many messages of `fillWithFinished` have been removed. */
export function removedOf(file, count) {
  const [first] = query(file, `SELECT min(id) & ${2 ** 22 - 1} FROM completion`);
  return first === "" ? count : Number(first) / 2;
}

/** Ids ascend with the time of acceptance. After each one the next is left free for a callback. */
function messages({
  numbers,
  count,
  from,
  to,
  dueIn: [soonest, latest],
  recipient = "'6281234567890'",
  text = "printf('Halo, kode verifikasi Anda adalah %0120d.', i)",
  rare = { every: count + 1, account: 1, device: numbers[0] },
}) {
  const time = `${from} + i * ${to - from} / ${count}`;
  const among = `CASE i % ${numbers.length} ${numbers
    .map((number, index) => `WHEN ${index} THEN ${number}`)
    .join(" ")} END`;
  const isRare = `i % ${rare.every} = ${rare.every - 1}`;
  const device = `iif(${isRare}, ${rare.device}, ${among})`;
  const account = `iif(${isRare}, ${rare.account}, 1)`;
  return [
    `WITH RECURSIVE each(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM each WHERE i + 1 < ${count})
     INSERT INTO message(id, tail, account, device, recipient, body, flags, accepted_at, due_at)
       SELECT ((${time} - ${EPOCH}) << 22) | (2 * i % ${2 ** 22}), random() & ${2 ** 50 - 1},
         ${account}, ${device}, ${recipient}, ${text}, 4, ${time},
         ${time} + ${soonest} + abs(random() % ${latest - soonest + 1}) FROM each;`,
    "INSERT OR IGNORE INTO activity(account, span) SELECT DISTINCT account, id >> 40 FROM message;",
  ];
}

function run(file, statements) {
  const sql = ["PRAGMA synchronous = OFF;", "BEGIN;", ...statements, "COMMIT;"].join("\n");
  execFileSync("sqlite3", [file], { input: sql, stdio: ["pipe", "ignore", "inherit"] });
  execFileSync("sync", [file]); // So that its pages are not written during a measurement.
}

function query(file, sql) {
  const output = execFileSync("sqlite3", ["-readonly", file, sql], { encoding: "utf8" });
  return output.split("\n");
}
