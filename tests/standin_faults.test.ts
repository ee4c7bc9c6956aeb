// Faults of the stand-in on command, and how unmodified clients react.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "./standin/testing/client.ts";
import { World } from "./standin/testing/world.ts";

const own = "628114000001";
const other = "628114000002";
let world: World;
let client: Client;

beforeAll(async () => {
  world = await World.create();
  client = await world.linked(own);
  world.standIn.phone(other);
});
afterAll(async () => {
  expect(world.violations()).toEqual([]);
  await world.end();
});

/** Waits until the server has handled all earlier requests. */
async function settled(): Promise<void> {
  const id = await client.text(other, "penanda");
  await world.event("shown", { number: other, id });
}

function shown(id: string) {
  return world.standIn.phone(other).shown.filter((message) => message.id === id);
}

test.each([463, 479])("a refusal %i is an acknowledgement with an error", async (code) => {
  world.standIn.faults.add({ action: "refuse", code, from: own, to: other });
  const id = await client.text(other, "ditolak");
  expect((await client.stanza("ack", id)).attrs["error"]).toBe(String(code));
  await settled();
  expect(shown(id)).toEqual([]);
});

test("an acknowledgement is held until it is released", async () => {
  world.standIn.faults.add({ action: "hold_ack" });
  const id = await client.text(other, "ditahan");
  await world.event("shown", { number: other, id });
  await settled();
  expect(client.stanzas.filter(({ attrs }) => attrs["class"] && attrs["id"] === id)).toEqual([]);
  expect(world.standIn.faults.release()).toBe(1);
  await client.stanza("ack", id);
});

test("a message whose acknowledgement is lost may be sent again, and is shown once", async () => {
  world.standIn.faults.add({ action: "lose_ack" });
  const id = await client.text(other, "sekali saja");
  await world.event("shown", { number: other, id });
  await client.text(other, "sekali saja", id);
  await client.stanza("ack", id);
  await world.event("repeated", { number: other, id });
  expect(shown(id)).toHaveLength(1);
});

test.each(["drop_before", "drop_after"] as const)(
  "%s: a message in flight when the connection ends is shown once after another try",
  async (action) => {
    world.standIn.faults.add({ action });
    const id = await client.text(other, action);
    expect(await client.closed()).toBe(428);
    expect(shown(id)).toHaveLength(action === "drop_after" ? 1 : 0);
    client.reconnect();
    await client.open();
    await client.text(other, action, id);
    await client.stanza("ack", id);
    await settled();
    expect(shown(id)).toHaveLength(1);
  },
);

test("a client is asked to encrypt anew what a phone cannot decrypt", async () => {
  const phone = world.standIn.phone(other);
  await phone.send(own, { text: "sesi dua arah" });
  await client.message("sesi dua arah");
  await settled();
  phone.forgetSessions();
  const id = await client.text(other, "sekali lagi");
  await world.event("undecryptable", { number: other, id });
  await world.event("shown", { number: other, id });
  expect(shown(id)).toMatchObject([{ text: "sekali lagi" }]);
});

test("a client that goes back to older keys reaches the phone", async () => {
  const older = client.state.copy();
  await settled();
  await client.end();
  client = world.client(older);
  await client.open();
  await settled();
});

test("what comes while a client is away waits for it, and comes once", async () => {
  const before = world.standIn.events.last;
  await client.end();
  await world.event("closed", { number: own }, before);
  const id = await world.standIn.phone(other).send(own, { text: "waktu pergi" });
  client.reconnect();
  await client.message("waktu pergi");
  await world.event("receipt", { number: own, id });
  await client.end();
  const seen = client.received.length;
  client.reconnect();
  await client.open();
  expect(client.received).toHaveLength(seen);
});

test("a restart of the server keeps what it knows", async () => {
  await world.standIn.stop();
  await client.closed();
  await world.standIn.phone(other).send(own, { text: "waktu mati" });
  await world.standIn.listen();
  client.reconnect();
  await client.message("waktu mati");
});

test("515 asks for another connection", async () => {
  world.standIn.close(own, 515);
  expect(await client.closed()).toBe(515);
  client.reconnect();
  await client.open();
});

test("a second login with the same keys replaces the first", async () => {
  const second = world.client(client.state);
  expect(await client.closed()).toBe(440);
  await second.open();
  client = second;
});

test("403 refuses an account until it is taken back", async () => {
  world.standIn.close(own, 403);
  expect(await client.closed()).toBe(403);
  client.reconnect();
  expect(await client.closed()).toBe(403);
  world.standIn.refuseLogins(own, undefined);
  client.reconnect();
  await client.open();
});

test("401 unlinks, and the number can be linked again as another device", async () => {
  world.standIn.close(own, 401);
  expect(await client.closed()).toBe(401);
  client.reconnect();
  expect(await client.closed()).toBe(401);
  client = world.client();
  expect(await world.standIn.phone(own).scan(await client.qr())).toBe(2);
  await client.linked();
  await settled();
});

test("a phone whose seal is wrong is not believed", async () => {
  const unlinked = world.client();
  world.standIn.pairing.fault = "seal";
  const scanned = world.standIn.phone("628114000003").scan(await unlinked.qr());
  await expect(scanned).rejects.toThrow("went away");
  world.standIn.pairing.fault = undefined;
});
