// A device's queue: shown, and cancelled by the thousand.
import { spawn } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import type { Account } from "./support/account.ts";
import { binary, environment } from "./support/binary.ts";
import { openShop } from "./support/callback_shop.ts";
import { expectAccepted } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import type { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let sink: Sink;
let account: Account;

beforeAll(async () => {
  const opened = await openShop({ secure: false, settings: { "api.rate": "none" } });
  ({ gateway, sink, account } = opened);
  await gateway.json("account", "set", account.id, "--credits", "5000");
  return opened.close;
});

const credit = async () => (await gateway.json("account", "show", account.id)).credit;
const waiting = async (number: string) =>
  (await gateway.json("device", "queue", "show", number)).waiting;

/** A paused device with `count` waiting messages. */
async function queued(count: number, callbackStatus?: string): Promise<[string, string[]]> {
  const number = await account.device(freshNumber());
  await gateway.json("device", "pause", number);
  const ids: string[] = [];
  for (let sent = 0; sent < count; sent += 50) {
    const send = async () => {
      const body = { to: "6281234567890", from: number, message: freshText(), Type: "text" };
      return expectAccepted(await account.send({ ...body, callbackStatus }));
    };
    const some = Math.min(50, count - sent);
    ids.push(...(await Promise.all(Array.from({ length: some }, send))));
  }
  return [number, ids];
}

/** Runs `device queue clear`; `typed` goes to standard input. */
const clear = (number: string, typed: string, ...flags: string[]) =>
  gateway.cliWith(typed, "device", "queue", "clear", number, ...flags);

test("a queue is cleared by who types the number: credit back, callers told", async () => {
  const before = await credit();
  const [number, ids] = await queued(3, sink.url("/cleared"));
  const shown = await gateway.json("device", "queue", "show", number);
  expect(shown).toMatchObject({ number, waiting: 3 });
  expect(ids).toContain(shown.oldest);
  expect(Date.parse(shown.oldest_accepted_at)).toBeGreaterThan(Date.now() - 60_000);

  const refused = await clear(number, "yes\n");
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("3 messages wait");
  expect((await clear(number, "")).code).toBe(2);
  expect(await waiting(number)).toBe(3);

  const cleared = await clear(number, `${number}\n`, "--json");
  expect(cleared.code, cleared.stderr).toBe(0);
  expect(cleared.stdout).toContain('"cancelled":3');
  expect(await waiting(number)).toBe(0);
  expect(await credit()).toBe(before);
  const callbacks = await sink.requests("/cleared", 3);
  expect(callbacks.map((one) => one.json.requestId).sort()).toEqual([...ids].sort());
  for (const { json } of callbacks) {
    expect(json).toMatchObject({ status: "failed", code: 500, details: "Pesan dibatalkan" });
  }
  for (const id of ids) {
    expect((await gateway.json("message", "show", id)).state).toBe("cancelled");
  }
});

test("killed in the middle, what was cancelled is cancelled and the rest waits", async () => {
  const before = await credit();
  const count = 2000;
  const [number] = await queued(count);
  expect(await credit()).toBe(before - count);
  const args = ["--config", gateway.config, "device", "queue", "clear", number, "--yes"];
  const child = spawn(binary, args, { env: environment(), cwd: gateway.folder, stdio: "ignore" });
  const closed = new Promise((resolve) => child.on("close", resolve));
  await waitFor("the first batch", async () => (await credit()) > before - count);
  await gateway.kill();
  await closed;
  await gateway.start();

  const left = await waiting(number);
  expect(await credit()).toBe(before - left);
  const states = (await gateway.json("message", "list", "--limit", "1000", "--state", "cancelled"))
    .filter((one: any) => one.from === number).length;
  expect(Math.min(1000, count - left)).toBe(Math.min(1000, states));
  const again = await gateway.json("device", "queue", "clear", number, "--yes");
  expect(again).toMatchObject({ cancelled: left, waiting: 0 });
  expect(await credit()).toBe(before);
});

test("a queue is cleared on a stopped server too", async () => {
  const [number] = await queued(300);
  await gateway.stop();
  const cleared = await gateway.json("device", "queue", "clear", number, "--yes");
  expect(cleared).toMatchObject({ cancelled: 300, waiting: 0 });
  await gateway.start();
  expect(await waiting(number)).toBe(0);
});
