// The stand-in platform, tested with unmodified clients: linking, texts, receipts, typing.
import { afterAll, beforeAll, expect, test } from "vitest";
import { textOf, type Client } from "./standin/testing/client.ts";
import { World } from "./standin/testing/world.ts";

const own = "628111000011";
const other = "628111000012";
const silent = "628111000022"; // Only a phone.
let world: World;
let alfa: Client;
let beta: Client;

beforeAll(async () => {
  world = await World.create();
  [alfa, beta] = await Promise.all([world.linked(own), world.linked(other)]);
  world.standIn.phone(silent);
});
afterAll(() => world.end());

test("a client is linked by a QR code, and logs in again without one", async () => {
  const client = world.client();
  expect(await world.standIn.phone("628111000001").scan(await client.qr())).toBe(1);
  await client.linked();
  expect(client.state.creds.me).toMatchObject({ id: "628111000001:1@s.whatsapp.net" });
  await client.end();
  client.reconnect();
  await client.open();
  expect(world.violations()).toEqual([]);
});

test("a client is linked by a code of eight characters, and by no other", async () => {
  const client = world.client();
  const phone = world.standIn.phone("628111000002");
  const code = await client.code("628111000002");
  const wrong = code.startsWith("A") ? `B${code.slice(1)}` : `A${code.slice(1)}`;
  await expect(phone.enterCode(wrong)).rejects.toThrow("the code is wrong");
  expect(await phone.enterCode(`${code.slice(0, 4)}-${code.slice(4)}`)).toBe(1);
  await client.linked();
  expect(world.violations()).toEqual([]);
});

test("two clients exchange texts, both ways and in one session", async () => {
  for (const text of ["satu", "dua", "tiga"]) {
    const sent = await alfa.raw.sendMessage(`${other}@s.whatsapp.net`, { text });
    expect(textOf((await beta.message(text)).message)).toBe(text);
    await alfa.stanza("ack", sent?.key.id ?? "");
    await beta.raw.sendMessage(`${own}@s.whatsapp.net`, { text: `${text} juga` });
    await alfa.message(`${text} juga`);
  }
  expect(world.violations()).toEqual([]);
});

test("the phones of both sides show what their companions exchange", async () => {
  const id = await alfa.text(silent, "halo");
  expect(await world.event("shown", { number: silent, id })).toMatchObject({
    from: own,
    chat: own,
    kind: "text",
    text: "halo",
  });
  expect(await world.event("shown", { number: own, id })).toMatchObject({ chat: silent });
});

test("a sender learns that a message arrived, and that it was read", async () => {
  const id = await alfa.text(silent, "sudah dibaca?");
  await alfa.stanza("receipt", id);
  world.standIn.phone(silent).read(own, [id]);
  await alfa.stanza("receipt", id, "read");
});

test("a sender learns of a recipient's new device, and writes to it too", async () => {
  await alfa.text(other, "satu perangkat");
  await beta.message("satu perangkat");
  const second = await world.linked(other);
  await alfa.text(other, "dua perangkat");
  await Promise.all([beta, second].map((client) => client.message("dua perangkat")));
});

test("typing is seen on both sides", async () => {
  await alfa.raw.sendPresenceUpdate("composing", `${silent}@s.whatsapp.net`);
  await world.event("typing_seen", { number: silent, state: "composing" });
  await alfa.raw.sendPresenceUpdate("paused", `${silent}@s.whatsapp.net`);
  await world.event("typing_seen", { number: silent, state: "paused" });
  world.standIn.phone(silent).typing(own, "composing");
  await alfa.typingOf("composing");
});

test("a phone's text reaches a client, addressed by number or by LID", async () => {
  const phone = world.standIn.phone(silent);
  for (const server of ["s.whatsapp.net", "lid"] as const) {
    const id = await phone.send(own, { text: `lewat ${server}` }, server);
    const got = await alfa.message(`lewat ${server}`);
    expect([got.key.remoteJid, got.key.remoteJidAlt].sort()).toEqual(
      [phone.account.jid("lid"), `${silent}@s.whatsapp.net`].sort(),
    );
    await world.event("receipt_seen", { number: silent, id });
  }
  expect(world.violations()).toEqual([]);
});

test("a look-up finds the numbers that are registered", async () => {
  world.standIn.setRegistered("628111000063", false);
  const found = await alfa.raw.onWhatsApp(silent, "628111000063", "628111000064");
  expect(found).toEqual([{ jid: `${silent}@s.whatsapp.net`, exists: true }]);
});

test("a companion that was unlinked cannot log in", async () => {
  const client = await world.linked("628111000071");
  await client.raw.logout();
  await world.event("unlinked", { number: "628111000071" });
  client.reconnect();
  expect(await client.closed()).toBe(401);
});

test("a client whose keys are not those of the login is refused", async () => {
  const thief = world.client();
  await thief.end();
  Object.assign(thief.state.creds, { me: alfa.state.creds.me });
  thief.reconnect();
  expect(await thief.closed()).toBe(401);
});
