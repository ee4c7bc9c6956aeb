// The stand-in, tested with a second, independent client.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { textOf, type Client } from "./standin/testing/client.ts";
import { SecondClient } from "./standin/testing/second_client.ts";
import { World } from "./standin/testing/world.ts";

const own = "628116000001";
const other = "628116000002";
let world: World;
let second: SecondClient;
let first: Client;

beforeAll(async () => {
  world = await World.create();
  second = await SecondClient.start(world.standIn);
  await world.standIn.phone(own).scan(await second.qr());
  await second.event("connected");
  first = await world.linked(other);
});
afterAll(async () => {
  expect(world.violations()).toEqual([]);
  await second.end();
  await world.end();
});

test("clients of two origins exchange texts", async () => {
  for (const text of ["satu", "dua"]) {
    const id = await second.send(other, { conversation: text });
    expect(textOf((await first.message(text)).message)).toBe(text);
    await second.event("server_ack", ({ data }) => data.id === id);
    await second.event("receipt", ({ data }) => data.message_ids.includes(id));
    await world.event("shown", { number: other, id });
    await first.text(own, `${text} juga`);
    await second.message(`${text} juga`);
  }
});

test("it finds the numbers that are registered", async () => {
  world.standIn.setRegistered("628116000003", false);
  const found = await second.raw.isOnWhatsApp([other, "628116000003"]);
  expect(found.map(({ isRegistered }) => isRegistered)).toEqual([true, false]);
});

test("its documents arrive whole", async () => {
  const data = randomBytes(20_000);
  const { url, directPath, mediaKey, fileSha256, fileEncSha256, fileLength } =
    await second.raw.uploadMedia(data, "document");
  const id = await second.send(other, {
    documentMessage: {
      ...{ url, directPath, mediaKey, fileSha256, fileEncSha256, fileLength },
      ...{ mimetype: "application/pdf", fileName: "tagihan.pdf" },
    },
  });
  const sha256 = Buffer.from(fileSha256).toString("hex");
  await world.event("shown", { number: other, id, sha256, fileName: "tagihan.pdf" });
  expect((await first.download(id)).equals(data)).toBe(true);
});

test("a refusal reaches it", async () => {
  world.standIn.faults.add({ action: "refuse", code: 463, from: own });
  const id = await second.send(other, { conversation: "ditolak" });
  await second.event("server_ack", ({ data }) => data.id === id && data.error === "463");
});

test.each(["the key that it knows", "another key"])(
  "it comes back to a server with %s, and receives what waited",
  async (key) => {
    const before = world.standIn.events.last;
    if (key === "another key") world.standIn.changeServerKey();
    world.standIn.drop(own);
    await world.event("closed", { number: own }, before);
    await world.standIn.phone(other).send(own, { text: `menunggu ${key}` });
    await second.message(`menunggu ${key}`);
  },
);
