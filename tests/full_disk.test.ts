// A disk that fills: accepts are refused first, no message is sent whose outcome could not be
// recorded, and the gateway continues by itself when there is space again.
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { shop } from "./support/account.ts";
import { expectAccepted, expectRefused, rows } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { exchange } from "./support/http.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { onPostgres } from "./support/postgres.ts";
import { pause, waitFor } from "./support/wait.ts";

const MiB = 1 << 20;
const messages = 200;
const window = 8;
const restarts = 5;

/** Mounts a separate disk of 48 MiB; undefined if this user may not mount one. */
function smallDisk(folder: string): string | undefined {
  const place = join(folder, "disk");
  mkdirSync(place);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=48m", "tmpfs", place], { stdio: "ignore" });
    return place;
  } catch {
    return undefined;
  }
}

const gateway = await Gateway.create({ start: false });
const disk = onPostgres ? undefined : smallDisk(gateway.folder); // With a database, not ours.
afterAll(async () => {
  await gateway.stop();
  if (disk) execFileSync("umount", [disk]);
  await gateway.close();
});

const filler = () => join(disk!, "filler");

/** Fills the disk until only `left` bytes are free. */
function fill(left: number): void {
  const file = openSync(filler(), "a");
  const piece = Buffer.alloc(64 << 10);
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(disk!);
      const size = Math.min(piece.length, bavail * bsize - left);
      if (size <= 0) return;
      writeSync(file, piece, 0, size);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(file);
  }
}

async function readiness() {
  const answer = await exchange({ method: "GET", url: `${gateway.url}/readyz` });
  return { status: answer.status, text: answer.text };
}

test.skipIf(!disk)("a full disk loses and repeats nothing (skipped where none can be mounted)", {
  timeout: 180_000,
}, async () => {
  gateway.configure({
    "store.url": `sqlite:${join(disk!, "merpati.db")}`,
    "store.reserve_bytes": 4 * MiB,
    "scheduler.window": window,
  });
  await gateway.start();
  const { account, device } = await shop(gateway);
  const send = (text: string, delay?: number) =>
    account.send({ to: freshNumber(), from: device, message: text, Type: "text", delay });

  const texts = Array.from({ length: messages }, () => freshText("full"));
  for (const text of texts) expectAccepted(await send(text, 2));

  fill(0);
  expectRefused(await send(freshText("late")), rows.storageFull);
  await waitFor("readiness to turn", async () => (await readiness()).status === 503);
  expect((await readiness()).text).toMatch(/"part":"store","reason":"its disk is/);

  // Accepted messages are sent as long as their outcomes fit, or wait. A crash repeats at most the
  // sends in flight; a start with a full disk repeats none.
  await pause(2_500);
  for (let round = 0; round < restarts; round += 1) {
    fill(0);
    await gateway.kill();
    await gateway.launch();
    await waitFor("the server to answer", async () =>
      readiness().then(
        () => true,
        () => false,
      ),
    );
    await pause(500);
  }

  rmSync(filler());
  await waitFor("readiness to return", async () => (await readiness()).status === 200, 5_000);
  expectAccepted(await send(freshText("after")));
  const sent = () => gateway.simulator.all().filter((line) => texts.includes(line.body));
  await waitFor("all to be sent", () => new Set(sent().map((line) => line.body)).size === messages);
  const repeated = sent().length - messages;
  console.log(`full disk: ${messages} messages, ${restarts} kills, ${repeated} sent twice`);
  expect(repeated).toBeLessThanOrEqual(restarts * window);
});
