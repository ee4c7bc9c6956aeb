import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Line } from "../src/protocol/lines.js";
import { platformId } from "../src/sending/content.js";
import { event } from "./support/stand_in.js";
import { World } from "./support/world.js";

let world: World;
let folder: string;

beforeAll(async () => {
  world = await World.create();
  folder = mkdtempSync(join(tmpdir(), "linked-"));
});
afterEach(() => world.standIn.faults.clear());
afterAll(async () => {
  await world.end();
  rmSync(folder, { recursive: true });
});

const id = (answer: Line): string => (answer["result"] as { platform_id: string }).platform_id;
const kind = (answer: Line): string => (answer["error"] as { kind: string }).kind;

function file(mime: string, name?: string): { media: Line; data: Buffer } {
  const data = randomBytes(3_000);
  const path = join(folder, randomUUID());
  writeFileSync(path, data);
  const sha256 = createHash("sha256").update(data).digest("hex");
  return { media: { path, mime, bytes: data.length, sha256, ...(name ? { name } : {}) }, data };
}

test("a text arrives, and its delivery and reading are reported", async () => {
  const answer = await world.send({ text: "Pesanan sudah dikirim" });
  expect(answer["result"]).toMatchObject({ outcome: "sent" });
  await event(world.standIn, "shown", { id: id(answer), text: "Pesanan sudah dikirim" });
  const { message } = await world.gateway.line("message.status", {
    platform_id: id(answer),
    status: "delivered",
  });
  expect(platformId(message as string)).toBe(id(answer)); // `message` is the gateway's own id.
  world.standIn.phone(world.friend).read(world.device, [id(answer)]);
  await world.gateway.line("message.status", { platform_id: id(answer), status: "read" });
});

test.each([
  ["image/jpeg", "image", "Ini fotonya"],
  ["image/png", "image", ""],
  ["video/mp4", "video", "Ini videonya"],
  ["application/pdf", "document", "Ini tagihannya"],
  ["image/bmp", "document", "Ini gambarnya"],
  ["audio/mpeg", "audio", ""],
  ["audio/ogg; codecs=opus", "audio", ""],
  ["image/webp", "sticker", ""],
])("%s arrives as %s, with its caption", async (mime, shownAs, text) => {
  const { media, data } = file(mime, "berkas");
  const answer = await world.send({ type: "media", media, text });
  expect(answer["ok"]).toBe(true);
  await event(world.standIn, "shown", { id: id(answer) });
  const shown = world.standIn.phone(world.friend).shown.find((each) => each.id === id(answer))!;
  expect(shown.kind).toBe(shownAs);
  expect(shown.data).toEqual(data);
});

test.each([
  ["audio/ogg; codecs=opus", "audio"],
  ["audio/mpeg", "audio"],
  ["image/webp", "sticker"],
])("the text of %s goes before it, as a message of its own", async (mime, shownAs) => {
  const { media } = file(mime);
  const before = world.standIn.phone(world.friend).shown.length;
  const answer = await world.send({ type: "media", media, text: "Dengarkan ya" });
  await event(world.standIn, "shown", { id: id(answer) });
  const shown = world.standIn.phone(world.friend).shown.slice(before);
  expect(shown.map((each) => each.kind)).toEqual(["text", shownAs]);
  expect(shown[0]!.text).toBe("Dengarkan ya");
});

test("a file that was sent before is not uploaded again", async () => {
  const { media } = file("image/jpeg");
  await world.send({ type: "media", media });
  const before = world.standIn.events.last;
  const answer = await world.send({ type: "media", media: { ...media } });
  await event(world.standIn, "shown", { id: id(answer) });
  const uploads = world.standIn.events.after(before, ({ type }) => type.includes("upload"));
  expect(uploads).toEqual([]);
});

test("a number that is not on the platform is told apart before anything is sent", async () => {
  const answer = await world.send({ to: "6289999999999" });
  expect(kind(answer)).toBe("recipient_unregistered");
  const { device, friend } = world;
  const check = (number: string): Promise<Line> =>
    world.gateway.ask("number.check", { device, number });
  expect((await check("6289999999999"))["result"]).toEqual({ registered: false });
  expect((await check(friend))["result"]).toEqual({ registered: true });
});

test("a refusal is reported with the platform's code", async () => {
  world.standIn.faults.add({ action: "refuse", code: 463 });
  const answer = await world.send();
  expect(answer["error"]).toMatchObject({ kind: "account_restricted", platform_code: "463" });
});

test("a stale list of devices is asked for anew, and the message sent once more", async () => {
  world.standIn.faults.add({ action: "refuse", code: 479 });
  const answer = await world.send({ text: "Sekali lagi" });
  expect(answer["ok"]).toBe(true);
  await event(world.standIn, "shown", { id: id(answer), text: "Sekali lagi" });
  world.standIn.faults.add({ action: "refuse", code: 479, times: 2 });
  expect((await world.send())["error"]).toMatchObject({ kind: "refused", platform_code: "479" });
});

test("a connection that breaks before the acknowledgement leaves the outcome unknown", async () => {
  const before = world.gateway.lines.length;
  world.standIn.faults.add({ action: "drop_after" });
  const message = randomUUID();
  const answer = await world.send({ message, text: "Tahan" });
  expect(kind(answer)).toBe("outcome_unknown");
  await world.gateway.state(world.device, "connected", before);
  const again = await world.send({ message, text: "Tahan", attempt: 2 });
  expect(again["ok"]).toBe(true);
  await event(world.standIn, "shown", { id: id(again) });
  const shown = world.standIn.phone(world.friend).shown.filter((each) => each.text === "Tahan");
  expect(shown).toHaveLength(1);
});

test("the peer sees typing before the text, and not after it", async () => {
  const before = world.standIn.events.last;
  const answer = await world.send({ text: "Sebentar", typing: true });
  await event(world.standIn, "shown", { id: id(answer) });
  const seen = world.standIn.events
    .after(before, ({ type, number }) => number === world.friend && type === "typing_seen")
    .map((each) => each["state"]);
  expect(seen).toEqual(["composing", "paused"]);
});

test("stopping the device ends the typing, and nothing is sent", async () => {
  const before = world.standIn.events.last;
  const lines = world.gateway.lines.length;
  const { device } = world;
  const sending = world.send({ text: "x".repeat(5_000), typing: true });
  await event(world.standIn, "typing_seen", { number: world.friend }, before);
  await world.gateway.ask("device.stop", { device });
  expect(kind(await sending)).toBe("device_down");
  const shown = world.standIn.events.after(before, ({ type }) => type === "shown");
  expect(shown).toEqual([]);
  await world.gateway.ask("device.start", { device });
  await world.gateway.state(device, "connected", lines);
});

test("a message waits for nobody's device that does not exist", async () => {
  expect(kind(await world.send({ device: "6281100000777" }))).toBe("device_down");
});

test("messages keep their order", async () => {
  const before = world.standIn.phone(world.friend).shown.length;
  const texts = ["satu", "dua", "tiga", "empat"];
  const answers = await Promise.all(texts.map((text) => world.send({ text })));
  await Promise.all(answers.map((answer) => event(world.standIn, "shown", { id: id(answer) })));
  const shown = world.standIn.phone(world.friend).shown.slice(before);
  expect(shown.map((each) => each.text)).toEqual(texts);
});

test("the ratchet is durable before its ciphertext leaves", async () => {
  const values = world.gateway.store(world.device);
  values.holdUp();
  const before = world.standIn.events.last;
  const puts = values.puts.length;
  const sending = world.send({ text: "Setelah tersimpan" });
  await world.gateway.until("a put", () => (values.puts.length > puts ? true : undefined));
  // The stand-in has read everything that the worker sent before this answer.
  await world.gateway.ask("ping");
  const shown = world.standIn.events.after(before, ({ type }) => type === "shown");
  expect(shown).toEqual([]);
  values.goOn();
  expect((await sending)["ok"]).toBe(true);
});

test("a message costs one put", async () => {
  const values = world.gateway.store(world.device);
  await world.send({ text: "pertama" });
  const puts = values.puts.length;
  await world.send({ text: "kedua" });
  expect(values.puts.length - puts).toBe(1);
});

test("a recipient who cannot decrypt is sent it again, also by the next worker", async () => {
  const { standIn, friend, device } = world;
  standIn.phone(friend).forgetSessions();
  const first = await world.send({ text: "Belum terbaca" });
  await event(standIn, "shown", { id: id(first) });
  // The recipient asks for the next message again while no worker runs.
  standIn.phone(friend).forgetSessions();
  standIn.faults.add({ action: "hold_ack" });
  const before = standIn.events.last;
  const sending = world.send({ text: "Masih belum terbaca" });
  await event(standIn, "message", { number: device }, before);
  await world.restartWorker();
  void sending.catch(() => {});
  await event(standIn, "shown", { number: friend, text: "Masih belum terbaca" }, before);
});

test("nothing that the worker prints or logs holds keys, numbers or texts", async () => {
  const secret = "rahasia-yang-tidak-boleh-bocor";
  await world.send({ text: secret });
  await world.restartWorker();
  await world.send({ text: secret });
  const before = world.gateway.lines.length;
  world.standIn.drop(world.device);
  await world.gateway.line("log", { device: world.device }, before);
  await world.gateway.state(world.device, "connected", before);
  expect(world.gateway.output).toEqual([]);
  const logs = world.gateway.lines.filter((line) => line["op"] === "log");
  expect(logs).not.toEqual([]);
  for (const line of logs) {
    const text = line["text"] as string;
    expect(text).not.toContain(secret);
    expect(text).not.toMatch(/\d{6,}|@s\.whatsapp|@lid|[A-Za-z0-9+/]{24,}/);
  }
});
