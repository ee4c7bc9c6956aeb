import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Line } from "../src/protocol/lines.js";
import { event } from "./support/stand_in.js";
import { World } from "./support/world.js";

let world: World;
let folder: string;

beforeAll(async () => {
  world = await World.create();
  // The phone gets the same messages, but only the worker's receipts are under test.
  world.standIn.phone(world.device).receipts = false;
  folder = mkdtempSync(join(tmpdir(), "linked-"));
});
afterAll(async () => {
  await world.end();
  rmSync(folder, { recursive: true });
});

const receipts = (id: string): Promise<unknown> =>
  event(world.standIn, "receipt_seen", { number: world.friend, id });

test.each(["s.whatsapp.net", "lid"] as const)("a text arrives, by %s", async (server) => {
  const { device, friend, gateway, standIn } = world;
  const id = await standIn.phone(friend).send(device, { text: "Apakah masih ada?" }, server);
  const line = await gateway.line("message.in", { platform_id: id });
  expect(line).toMatchObject({ device, from: friend, type: "text", text: "Apakah masih ada?" });
  await receipts(id);
});

test("an image arrives by its metadata, and its content when it is asked for", async () => {
  const { device, friend, gateway, standIn } = world;
  const data = randomBytes(70_000);
  const id = await standIn
    .phone(friend)
    .send(device, { media: "image", data, mimetype: "image/jpeg", caption: "Ini fotonya" });
  const line = await gateway.line("message.in", { platform_id: id });
  const media = { mime: "image/jpeg", bytes: data.length };
  expect(line).toMatchObject({ type: "image", text: "Ini fotonya", media });
  await receipts(id);
  const { reference } = line["media"] as { reference: string };
  await world.restartWorker();
  const path = join(folder, "photo");
  writeFileSync(path, "");
  const fetch = (fields: Line): Promise<Line> =>
    gateway.ask("media.fetch", {
      device,
      platform_id: id,
      reference,
      path,
      bytes_max: 1_000_000,
      within_ms: 60_000,
      ...fields,
    });
  expect(await fetch({})).toMatchObject({ result: media });
  expect(readFileSync(path)).toEqual(data);
  expect((await fetch({ bytes_max: 1_000 }))["error"]).toMatchObject({ kind: "media_too_large" });
  expect((await fetch({ reference: "" }))["error"]).toMatchObject({ kind: "not_found" });
  expect((await fetch({ reference: "{" }))["error"]).toMatchObject({ kind: "invalid" });
});

test("the platform hears that a message arrived only when the gateway has it", async () => {
  const { device, friend, gateway, standIn } = world;
  gateway.silent.add("message.in");
  const before = standIn.events.last;
  const id = await standIn.phone(friend).send(device, { text: "Sudah tersimpan?" });
  const line = await gateway.line("message.in", { platform_id: id });
  await gateway.ask("ping");
  const seen = standIn.events.after(before, ({ type }) => type === "receipt_seen");
  expect(seen).toEqual([]);
  gateway.silent.delete("message.in");
  gateway.write(`${JSON.stringify({ id: line["id"], ok: true })}\n`);
  await receipts(id);
});

test("a message that was not stored when the worker died is delivered again", async () => {
  const { device, friend, gateway, standIn } = world;
  gateway.silent.add("message.in");
  const id = await standIn.phone(friend).send(device, { text: "Jangan hilang" });
  await gateway.line("message.in", { platform_id: id });
  gateway.silent.delete("message.in");
  const before = gateway.lines.length;
  await world.restartWorker();
  const again = await gateway.line("message.in", { platform_id: id }, before);
  expect(again["text"]).toBe("Jangan hilang");
  await receipts(id);
});

test("a message that the gateway cannot take ends the connection, and comes again", async () => {
  const { device, friend, gateway, standIn } = world;
  gateway.refusals.set("message.in", { kind: "unavailable" });
  const before = gateway.lines.length;
  const id = await standIn.phone(friend).send(device, { text: "Nanti lagi" });
  await gateway.line("message.in", { platform_id: id });
  await gateway.state(device, "reconnecting", before);
  gateway.refusals.delete("message.in");
  const count = gateway.lines.length;
  await gateway.line("message.in", { platform_id: id }, count);
  await receipts(id);
});

test("a message that the gateway never takes does not stop the next one", async () => {
  const { device, friend, gateway, standIn } = world;
  gateway.refusals.set("message.in", { kind: "invalid" });
  const first = await standIn.phone(friend).send(device, { text: "Ditolak" });
  await gateway.line("message.in", { platform_id: first });
  await receipts(first);
  gateway.refusals.delete("message.in");
  const next = await standIn.phone(friend).send(device, { text: "Berikutnya" });
  await gateway.line("message.in", { platform_id: next });
});

test("what waited at the platform while the device was stopped arrives", async () => {
  const { device, friend, gateway, standIn } = world;
  const before = gateway.lines.length;
  await gateway.ask("device.stop", { device });
  const ids = [];
  for (const text of ["satu", "dua", "tiga"]) {
    ids.push(await standIn.phone(friend).send(device, { text }));
  }
  await gateway.ask("device.start", { device });
  for (const id of ids) {
    await gateway.line("message.in", { platform_id: id }, before);
    await receipts(id);
  }
});

test("what the own phone sends is no message that was received", async () => {
  const { device, friend, gateway, standIn } = world;
  const before = gateway.lines.length;
  const own = await standIn.phone(device).send(friend, { text: "Dari ponsel sendiri" });
  const id = await standIn.phone(friend).send(device, { text: "Jawaban" });
  await gateway.line("message.in", { platform_id: id }, before);
  const inbound = gateway.lines.filter((line) => line["op"] === "message.in");
  expect(inbound.map((line) => line["platform_id"])).not.toContain(own);
});
