// What the stand-in lets an account begin, and what it tells a new companion about contacts, tested
// with unmodified clients: privacy tokens, time-locks, caps, unclear look-ups, the app's state.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Client } from "./standin/testing/client.ts";
import { Changes } from "./standin/testing/changes.ts";
import { SecondClient } from "./standin/testing/second_client.ts";
import { World } from "./standin/testing/world.ts";

const own = "628117000001";
const friend = "628117000002";
const stranger = "628117000003";
const hour = 3_600_000;
let world: World;
let client: Client;

beforeAll(async () => {
  world = await World.create();
  for (const number of [friend, stranger]) world.standIn.phone(number);
  world.standIn.trust(friend, own);
  client = await world.linked(own);
});
beforeEach(() => {
  world.standIn.reachout.tokensRequired = false;
});
afterAll(async () => {
  expect(world.violations()).toEqual([]);
  await world.end();
});

const errorOf = async (from: Client, to: string, text: string): Promise<string | undefined> =>
  (await from.stanza("ack", await from.text(to, text))).attrs["error"];

/** Collects what a client reports of one kind from now on. */
function reports<T>(of: Client, name: string, pick: (update: any) => T | undefined) {
  const all: T[] = [];
  const changes = new Changes();
  of.raw.ev.on(name as "connection.update", (update) => {
    const picked = pick(update);
    if (picked !== undefined) all.push(picked);
    changes.happened();
  });
  return (what: string, matches: (one: T) => boolean) =>
    changes.until(what, () => all.find(matches));
}

test("a client writes with the tokens of the history, and without them it is refused", async () => {
  const bare = world.client(undefined, { shouldSyncHistoryMessage: () => false });
  await world.standIn.phone(own).scan(await bare.qr());
  await bare.linked();
  world.standIn.reachout.tokensRequired = true;
  expect(await errorOf(client, friend, "dengan token")).toBeUndefined();
  expect(await errorOf(client, stranger, "tanpa token")).toBe("463");
  expect(await errorOf(bare, friend, "tanpa riwayat")).toBe("463");
});

test("a history names the contacts by both addresses, and has their messages", async () => {
  const fresh = world.client();
  await world.standIn.phone(own).scan(await fresh.qr());
  const texts: string[] = [];
  await fresh.closed();
  fresh.reconnect();
  const changes = new Changes();
  fresh.raw.ev.on("messaging-history.set", ({ messages }) => {
    texts.push(...messages.map(({ message }) => message?.conversation ?? ""));
    changes.happened();
  });
  await changes.until("the history", () => texts.length > 0);
  expect(texts).toEqual([`riwayat dari ${friend}`]);
  const { lidMapping } = fresh.raw.signalRepository;
  const lid = world.standIn.phone(friend).account.jid("lid");
  expect(await lidMapping.getPNForLID(lid)).toBe(`${friend}:0@s.whatsapp.net`);
});

test("a token that comes later opens a chat", async () => {
  world.standIn.reachout.tokensRequired = true;
  const other = "628117000004";
  world.standIn.phone(other);
  expect(await errorOf(client, other, "belum")).toBe("463");
  const before = world.standIn.events.last;
  world.standIn.trust(other, own);
  await world.event("acknowledged", { number: own, kind: "privacy_token" }, before);
  expect(await errorOf(client, other, "sudah")).toBeUndefined();
});

test("a time-lock is told, can be asked for, and refuses new chats", async () => {
  const locks = reports(client, "connection.update", (update) => update.reachoutTimeLock);
  const until = (Math.ceil(Date.now() / 1000) + 3600) * 1000;
  world.standIn.lock(own, until);
  await locks("the lock", (lock: any) => lock.isActive && +lock.timeEnforcementEnds === until);
  expect(await client.raw.fetchAccountReachoutTimelock()).toMatchObject({
    isActive: true,
    timeEnforcementEnds: new Date(until),
  });
  expect(await errorOf(client, stranger, "baru")).toBe("463");
  expect(await errorOf(client, friend, "lama")).toBeUndefined();
  world.standIn.lock(own, undefined);
  await locks("its end", (lock: any) => !lock.isActive);
  expect(await errorOf(client, stranger, "boleh lagi")).toBeUndefined();
});

test("a cap of new chats is told, and can be asked for", async () => {
  const caps = reports(client, "message-capping.update", (update) => update);
  const until = Date.now() + hour;
  world.standIn.cap(own, until);
  await caps("the cap", (cap: any) => cap.capping_status === "CAPPED");
  expect(await client.raw.fetchNewChatMessageCap()).toMatchObject({
    capping_status: "CAPPED",
    cycle_end_timestamp: String(Math.ceil(until / 1000)),
  });
  expect(await errorOf(client, stranger, "terlalu banyak")).toBe("463");
  world.standIn.cap(own, undefined);
  await caps("its end", (cap: any) => cap.capping_status === "NONE");
});

test.each(["missing", "error"] as const)("a look-up may say nothing: %s", async (fault) => {
  world.standIn.lookUpFault = fault;
  const asked = client.raw.onWhatsApp(friend);
  if (fault === "missing") expect(await asked).toEqual([]);
  else await expect(asked).rejects.toThrow("internal-server-error");
  world.standIn.lookUpFault = undefined;
  expect(await client.raw.onWhatsApp(friend)).toHaveLength(1);
});

test("the contacts of the app are copied, and verified where a client does", async () => {
  const verifying = world.client(undefined, {
    appStateMacVerification: { patch: true, snapshot: true },
    shouldSyncHistoryMessage: () => true,
  });
  await world.standIn.phone(own).scan(await verifying.qr());
  await verifying.linked();
  const changes = new Changes();
  const names = new Set<string>();
  verifying.raw.ev.on("contacts.upsert", (contacts) => {
    for (const { name } of contacts) names.add(name ?? "");
    changes.happened();
  });
  world.standIn.phone(own).saveContacts(50);
  await changes.until("the contacts", () => names.size === 50);
  expect(names).toContain("Kontak 49");
});

test("a client of another origin asks for the lock and writes with a token", async () => {
  const number = "628117000011";
  world.standIn.trust(friend, number);
  const second = await SecondClient.start(world.standIn);
  await world.standIn.phone(number).scan(await second.qr());
  await second.event("connected");
  const until = Math.ceil((Date.now() + hour) / 1000);
  world.standIn.lock(number, until * 1000);
  expect(await second.raw.fetchReachoutTimelock()).toMatchObject({
    is_active: true,
    time_enforcement_ends: String(until),
  });
  const refused = await second.send(stranger, { conversation: "baru" });
  await second.event("server_ack", ({ data }) => data.id === refused && data.error === "463");
  await second.end();
});
