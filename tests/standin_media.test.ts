// Media through the stand-in, from unmodified clients and from phones.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "./standin/testing/client.ts";
import { media } from "./standin/testing/media.ts";
import { World } from "./standin/testing/world.ts";

let world: World;
let alfa: Client;
let beta: Client;

beforeAll(async () => {
  world = await World.create();
  [alfa, beta] = await Promise.all([world.linked("628113000001"), world.linked("628113000002")]);
});
afterAll(async () => {
  expect(world.violations()).toEqual([]);
  await world.end();
});

test.each(Object.entries(media))("a client's %s arrives whole", async (kind, { content, told }) => {
  const data = randomBytes(20_000);
  const id = await alfa.send("628113000002", content(data));
  const shown = await world.event("shown", { number: "628113000002", id });
  expect(shown).toMatchObject({ kind, ...told, length: data.length });
  const onScreen = world.standIn.phone("628113000002").shown.find((each) => each.id === id);
  expect(onScreen?.data?.equals(data)).toBe(true);
  expect((await beta.download(id)).equals(data)).toBe(true);
});

test.each(Object.entries(media))("a phone's %s arrives whole", async (kind, { told }) => {
  const data = randomBytes(20_000);
  const { caption, fileName, voice, mimetype } = told;
  const sendable = { media: kind as keyof typeof media, data, mimetype, caption, fileName, voice };
  const id = await world.standIn.phone("628113000002").send("628113000001", sendable);
  expect((await alfa.download(id)).equals(data)).toBe(true);
});

test("an upload that fails is tried again by the client, or given up", async () => {
  world.standIn.mediaHost.failures = 1;
  const document = { document: randomBytes(100), mimetype: "application/pdf" };
  await expect(alfa.send("628113000002", document)).rejects.toThrow("upload failed");
  expect(world.standIn.mediaHost.failures).toBe(0);
});
