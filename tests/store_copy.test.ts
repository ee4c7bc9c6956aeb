// An installation moves from a file into a database, and back: everything that waits is finished
// where it goes, and what has ended stays.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Account, shop } from "./support/account.ts";
import { onTerminal } from "./support/binary.ts";
import { Campaigns } from "./support/campaigns.ts";
import type { Json } from "./support/contract.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import { PostgresServer } from "./support/postgres.ts";
import { expectSigned } from "./support/signature.ts";
import { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

const later = 3_600; // Seconds; nothing of the test takes as long.
const audience = 5;
const retryWithin = 60_000; // Of a callback that was refused twice.

let server: PostgresServer;
let sink: Sink;
let file: Gateway; // Where the installation begins.
let database: Gateway;
let back: Gateway;
let account: Account;
let device: string;
let campaign: string;
let takes = false; // Whether the receiver of callbacks takes them.

const settings = { "outbound.allow_http_callbacks": true };
const body = (more: object = {}) => ({
  to: freshNumber(),
  from: device,
  message: freshText(),
  Type: "text",
  ...more,
});
const done = body();
const failed = body({ to: simulated("995002") });
const delayed = body({ delay: later });
const further = body({ delay: later });
const paused = body();
const repeated = body();
const ids = new Map<object, string>();

async function send(message: object, by = account, headers = {}): Promise<string> {
  const id = expectAccepted(await by.send(message, { headers }));
  ids.set(message, id);
  return id;
}

const url = (gateway: Gateway): string =>
  JSON.parse(/^store\.url = (.*)$/m.exec(readFileSync(gateway.config, "utf8"))![1]!);

/** The same account on another gateway. */
function at(gateway: Gateway): Account {
  const moved = new Account(gateway, account.id, account.webhookSecret);
  moved.key = account.key;
  return moved;
}

/** What the commands show of the stopped store. */
async function contents(gateway: Gateway): Promise<Json> {
  const all = ["--limit", "1000"];
  return {
    accounts: await gateway.json("account", "show", account.id),
    keys: await gateway.json("key", "list", account.id),
    devices: await gateway.json("device", "list"),
    messages: await gateway.json("message", "list", ...all),
    callbacks: await gateway.json("callback", "list", ...all),
    campaign: await gateway.json("campaign", "show", campaign),
    contacts: await gateway.json("contact", "list", "--account", account.id, ...all),
    users: await gateway.json("user", "list"),
    usage: await gateway.json("account", "usage", account.id),
  };
}

const state = async (gateway: Gateway, message: object) =>
  (await gateway.json("message", "show", ids.get(message)!)).state;

beforeAll(async () => {
  server = await PostgresServer.open();
  sink = await Sink.open({ secure: false });
  sink.on("/status", () => ({ status: takes ? 200 : 503 }));
  file = await Gateway.create({ settings });
  const key = { "store.key_file": file.own(".key") };
  database = await Gateway.create({
    database: server.createDatabase(),
    settings: { ...settings, ...key },
    start: false,
  });
  back = await Gateway.create({ settings: { ...settings, ...key }, start: false });
  ({ account, device } = await shop(file, { credits: 1_000 }));
  Object.assign(paused, { from: await account.device() });
  for (const message of [done, failed, delayed, further, paused, repeated]) {
    Object.assign(message, { from: (message as Json).from ?? device });
  }
}, 60_000);
afterAll(async () => {
  await Promise.all([file, database, back].map((gateway) => gateway.close()));
  await sink.close();
  await server.close();
});

test("an installation at work is stopped", async () => {
  const callbackStatus = sink.url("/status");
  await file.json("device", "pause", paused.from);
  await send({ ...done, callbackStatus }).then((id) => ids.set(done, id));
  for (const message of [failed, delayed, further, paused]) await send(message);
  await send(repeated, account, { "Idempotency-Key": "sekali-saja" });
  await sink.requests("/status", 1);
  await waitFor("the failure", async () => (await state(file, failed)) === "failed");

  const campaigns = await Campaigns.of(account);
  const slow = await account.device(freshNumber(), "--gap", "1s", "--jitter", "0s");
  campaign = await campaigns.create([slow]);
  const rows = Array.from({ length: audience }, () => `${freshNumber()},Ani`);
  await campaigns.upload(campaign, `nomor,nama\n${rows.join("\n")}\n`);
  await campaigns.act(campaign, "start");
  await waitFor("a first recipient", async () => (await campaigns.show(campaign)).counts.sent > 0);
  await campaigns.act(campaign, "pause");
  const contact = ["--account", account.id, "--name", "Ani", "--tag", "vip"];
  await file.json("contact", "put", freshNumber(), ...contact);

  const refused = await file.cli("store", "copy", url(file), url(database));
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("another process has the store open");
  expect(await file.stop()).toBe(0);
}, 60_000);

test("everything goes into the database", async () => {
  const before = await contents(file);
  const copied = await file.json("store", "copy", url(file), url(database));
  expect(copied).toMatchObject({ complete: true, key_file: file.own(".key") });
  const counts = new Map(copied.tables.map((one: Json) => [one.table, one]));
  for (const table of ["message", "queue", "completion", "callback", "campaign_recipient"]) {
    expect((counts.get(table) as Json).to, table).toBeGreaterThan(0);
  }
  for (const { table, from, to } of copied.tables) expect(to, table).toBe(from);
  expect(await contents(database)).toEqual(before);
});

test("the database finishes what waited", async () => {
  const refusals = sink.at("/status").length;
  takes = true;
  await database.start();
  const moved = at(database);
  const again = await moved.send(repeated, { headers: { "Idempotency-Key": "sekali-saja" } });
  expect(expectAccepted(again)).toBe(ids.get(repeated));
  expect(database.simulator.of(repeated.message)).toHaveLength(0);

  expect(await state(database, delayed)).toBe("pending");
  await database.json("message", "send-now", ids.get(delayed)!);
  await database.json("device", "resume", paused.from);
  for (const { message } of [delayed, paused]) {
    expect((await database.simulator.attempt(message)).result).toBe("sent");
  }
  const callback = (await sink.requests("/status", refusals + 1, retryWithin)).at(-1)!;
  expect(callback.json).toMatchObject({ requestId: ids.get(done), status: "sent" });
  expectSigned(account.webhookSecret, callback.headers, callback.body);

  await database.json("campaign", "resume", campaign);
  const ended = async () => (await database.json("campaign", "show", campaign)).state;
  await waitFor("the campaign to finish", async () => (await ended()) === "finished", 30_000);
  const reached = [file, database].flatMap((gateway) => gateway.simulator.all());
  expect(reached.filter(({ body }) => body.startsWith("Halo"))).toHaveLength(audience);
  expect(await state(database, done)).toBe("sent");
  expect(await state(database, failed)).toBe("failed");

  const fresh = body();
  await send(fresh, moved);
  await database.simulator.attempt(fresh.message);
  expect(await database.stop()).toBe(0);
}, 120_000);

test("the file that was left is not copied over the database that went on", async () => {
  const refused = await file.cli("store", "copy", url(file), url(database));
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("the target is not empty");
});

test("everything goes back into a file, and on there", async () => {
  const before = await contents(database);
  const args = ["--config", database.config, "store", "copy", url(database), url(back)];
  const { code, shown } = await onTerminal(args);
  expect(code, shown).toBe(0);
  expect(shown).toMatch(/\[#+\] 100%/);
  expect(shown).toContain("each table has as many on both sides");
  expect(await contents(back)).toEqual(before);

  await back.start();
  const moved = at(back);
  expect(await state(back, further)).toBe("pending");
  await back.json("message", "send-now", ids.get(further)!);
  await back.simulator.attempt(further.message);
  const fresh = body();
  await send(fresh, moved);
  await back.simulator.attempt(fresh.message);
  expect(await back.stop()).toBe(0);
  const { findings } = JSON.parse((await back.cli("doctor", "--json")).stdout);
  const wrong = findings.filter((one: Json) => one.verdict === "WRONG" && one.subject === "store");
  expect(wrong).toEqual([]);
}, 60_000);
