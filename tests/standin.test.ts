// The stand-in platform, judged by unmodified clients: linking, texts, receipts, typing.
import { afterAll, beforeAll, expect, test } from "vitest";
import { textOf } from "./standin/testing/client.ts";
import { World } from "./standin/testing/world.ts";

let world: World;

beforeAll(async () => {
  world = await World.create();
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
  const [alfa, beta] = [await world.linked("628111000011"), await world.linked("628111000012")];
  for (const text of ["satu", "dua", "tiga"]) {
    const sent = await alfa.raw.sendMessage("628111000012@s.whatsapp.net", { text });
    expect(textOf((await beta.message(text)).message)).toBe(text);
    await alfa.stanza("ack", sent?.key.id ?? "");
    await beta.raw.sendMessage("628111000011@s.whatsapp.net", { text: `${text} juga` });
    await alfa.message(`${text} juga`);
  }
  expect(world.violations()).toEqual([]);
});

test("the phones of both sides show what their companions exchange", async () => {
  const alfa = await world.linked("628111000021");
  const from = { number: "628111000021" };
  world.standIn.phone("628111000022");
  const id = await alfa.text("628111000022", "halo");
  expect(await world.event("shown", { number: "628111000022", id })).toMatchObject({
    from: "628111000021",
    chat: "628111000021",
    kind: "text",
    text: "halo",
  });
  expect(await world.event("shown", { ...from, id })).toMatchObject({ chat: "628111000022" });
});

test("a sender learns that a message arrived, and that it was read", async () => {
  const alfa = await world.linked("628111000031");
  world.standIn.phone("628111000032");
  const id = await alfa.text("628111000032", "sudah dibaca?");
  await alfa.stanza("receipt", id);
  world.standIn.phone("628111000032").read("628111000031", [id]);
  await alfa.stanza("receipt", id, "read");
});

test("typing is seen on both sides", async () => {
  const alfa = await world.linked("628111000041");
  world.standIn.phone("628111000042");
  await alfa.raw.sendPresenceUpdate("composing", "628111000042@s.whatsapp.net");
  await world.event("typing_seen", { number: "628111000042", state: "composing" });
  await alfa.raw.sendPresenceUpdate("paused", "628111000042@s.whatsapp.net");
  await world.event("typing_seen", { number: "628111000042", state: "paused" });
  world.standIn.phone("628111000042").typing("628111000041", "composing");
  await alfa.typingOf("composing");
});

test("a phone's text reaches a client, addressed by number or by LID", async () => {
  const alfa = await world.linked("628111000051");
  const phone = world.standIn.phone("628111000052");
  for (const server of ["s.whatsapp.net", "lid"] as const) {
    const id = await phone.send("628111000051", { text: `lewat ${server}` }, server);
    const got = await alfa.message(`lewat ${server}`);
    expect([got.key.remoteJid, got.key.remoteJidAlt].sort()).toEqual(
      [phone.account.jid("lid"), "628111000052@s.whatsapp.net"].sort(),
    );
    await world.event("receipt_seen", { number: "628111000052", id });
  }
  expect(world.violations()).toEqual([]);
});

test("a look-up finds the numbers that are registered", async () => {
  const alfa = await world.linked("628111000061");
  world.standIn.phone("628111000062");
  world.standIn.setRegistered("628111000063", false);
  const found = await alfa.raw.onWhatsApp("628111000062", "628111000063", "628111000064");
  expect(found).toEqual([{ jid: "628111000062@s.whatsapp.net", exists: true }]);
});

test("a companion that was unlinked cannot log in", async () => {
  const alfa = await world.linked("628111000071");
  await alfa.raw.logout();
  await world.event("unlinked", { number: "628111000071" });
  alfa.reconnect();
  expect(await alfa.closed()).toBe(401);
});

test("a client whose keys are not those of the login is refused", async () => {
  const alfa = await world.linked("628111000081");
  const thief = world.client();
  await thief.end();
  Object.assign(thief.state.creds, { me: alfa.state.creds.me });
  thief.reconnect();
  expect(await thief.closed()).toBe(401);
});
