// Damaged pages of the store: only data on these pages is affected, and the gateway reports it.
import { afterAll, expect } from "vitest";
import type { Account } from "./support/account.ts";
import { sqliteTest } from "./support/engine.ts";
import { expectAccepted, expectRefused, rows } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { exchange } from "./support/http.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { losePage, pagesOf } from "./support/store.ts";
import { waitFor } from "./support/wait.ts";

const EACH = 300; // Messages of a device: its queue takes several pages.

interface Shop {
  gateway: Gateway;
  account: Account;
  devices: [string, string];
}

const gateways: Gateway[] = [];
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
});

/** A stopped gateway with messages in two queues. */
async function stoppedWithMessages(): Promise<Shop> {
  const gateway = await Gateway.create({ start: false });
  gateways.push(gateway);
  const account = await gateway.account();
  await account.createKey();
  const devices: [string, string] = [await account.device(), await account.device()];
  devices.sort();
  for (const device of devices) await gateway.json("device", "set", device, "--gap", "1h");
  await gateway.start();
  for (let count = 0; count < EACH; count += 1) {
    const replies = await Promise.all(devices.map((device) => send(account, device)));
    for (const reply of replies) expectAccepted(reply);
  }
  await gateway.stop();
  for (const device of devices) await gateway.json("device", "set", device, "--gap", "0s");
  return { gateway, account, devices };
}

function send(account: Account, device: string, delay = 1) {
  const message = freshText("rusak");
  return account.send({ to: freshNumber(), from: device, message, Type: "text", delay });
}

async function readiness(gateway: Gateway) {
  const answer = await exchange({ method: "GET", url: `${gateway.url}/readyz` });
  return { status: answer.status, text: answer.text };
}

async function startDamaged(gateway: Gateway): Promise<void> {
  gateway.launch();
  await waitFor("the damage to be met", async () => {
    const { text } = await readiness(gateway).catch(() => ({ text: "" }));
    return /"part":"store","reason":"is damaged/.test(text);
  }, 30_000);
}

const sentBy = (gateway: Gateway, device: string) =>
  gateway.simulator.all().filter((line) => line.from === device).length;

sqliteTest("a queue that cannot be read stops its device alone", { timeout: 120_000 }, async () => {
  const { gateway, account, devices } = await stoppedWithMessages();
  const [broken, whole] = devices;
  losePage(gateway, pagesOf(gateway, "queue")[1]!);
  const sentBefore = sentBy(gateway, broken);
  await startDamaged(gateway);

  await waitFor("the other queue to be sent", () => sentBy(gateway, whole) === EACH, 30_000);
  const later = await send(account, whole);
  expectAccepted(later);
  await waitFor("a new message to be sent", () => sentBy(gateway, whole) === EACH + 1);
  expectRefused(await send(account, broken), rows.storageDamaged);
  expect(sentBy(gateway, broken)).toBe(sentBefore);

  expect(await readiness(gateway)).toMatchObject({ status: 503 });
  expect((await readiness(gateway)).text).toContain("1 device cannot send");
  const doctor = await gateway.cli("doctor");
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain("damaged");
});

sqliteTest("a message that cannot be read holds up no other", { timeout: 120_000 }, async () => {
  const { gateway, account, devices } = await stoppedWithMessages();
  const pages = pagesOf(gateway, "message");
  losePage(gateway, pages[Math.floor(pages.length / 2)]!);
  await startDamaged(gateway);

  const enough = 2 * EACH - 60; // A page holds about twenty messages.
  const sent = () => sentBy(gateway, devices[0]) + sentBy(gateway, devices[1]);
  await waitFor("the others to be sent", () => sent() >= enough, 30_000);
  for (const device of devices) {
    const before = sentBy(gateway, device);
    expectAccepted(await send(account, device));
    await waitFor("a new message to be sent", () => sentBy(gateway, device) > before);
  }
  const damaged = 2 * EACH + 2 - sent();
  expect(damaged).toBeGreaterThan(0);
  const waiting = await gateway.json("message", "list", "--state", "pending").catch(() => []);
  expect(waiting.length).toBeLessThanOrEqual(damaged);
});

sqliteTest("of a bulk only what meets the damage is refused", { timeout: 120_000 }, async () => {
  const gateway = await Gateway.create({ start: false });
  gateways.push(gateway);
  const account = await gateway.account();
  await account.createKey();
  const device = await account.device();
  const message = (key?: string) => ({
    to: freshNumber(),
    from: device,
    message: freshText("rusak"),
    Type: "text",
    ...(key && { key }),
  });
  const bulk = (messages: object[]) => account.post("/v1/messages/bulk", { messages });
  const keyed = Array.from({ length: EACH }, (_, at) => message(`k-${1000 + at}`));
  await gateway.start();
  expect((await bulk(keyed)).json).toMatchObject({ accepted: EACH });
  await gateway.stop();
  const pages = pagesOf(gateway, "idempotency");
  losePage(gateway, pages[Math.floor(pages.length / 2)]!);
  await gateway.start();

  const some = keyed.filter((_, at) => at % 10 === 0); // A page holds about twenty keys.
  const { json } = await bulk([...some, message()]);
  expect(json.refused).toBeGreaterThan(0);
  expect(json.accepted).toBeGreaterThan(some.length / 2);
  for (const one of json.results) expect([200, 503]).toContain(one.code);
  expect(json.results.at(-1).code).toBe(200);
});
