// A number moves from another gateway built on Baileys to this one, and back.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportFolder, importFolder } from "./support/converter.js";
import { FakeGateway } from "./support/fake_gateway.js";
import { withFolder } from "./support/folder_client.js";
import { configOf, event, startStandIn, type StandIn } from "./support/stand_in.js";

const SLOW_MS = 60_000;
const device = "6281100000011";
const friend = "6281234567891";

let standIn: StandIn;
let gateway: FakeGateway;
let scratch: string;
let folder: string; // Of an unmodified, linked client that has exchanged messages.

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "merpati-moving-"));
  folder = join(scratch, "other");
  standIn = await startStandIn();
  gateway = new FakeGateway(configOf(standIn));
  gateway.start();
  await gateway.line("hello");
  standIn.setRegistered(friend, true);
  await withFolder(standIn, folder, async (client) => {
    await standIn.phone(device).scan(await client.qr());
    await client.linked();
    const id = await client.text(friend, "halo dari yang lama");
    await event(standIn, "shown", { number: friend, id });
    await standIn.phone(friend).send(device, { text: "jawaban" });
    await client.message("jawaban");
  });
}, SLOW_MS);
afterAll(async () => {
  await gateway.stop();
  await standIn.end();
  rmSync(scratch, { recursive: true });
}, SLOW_MS);

test("a folder moves here, and out again, without a new QR code", async () => {
  const values = gateway.store(device);
  expect(await importFolder(device, folder, values)).toEqual({
    done: { keys: readdirSync(folder).length - 1, left_out: 0 },
  });

  await gateway.ask("device.start", { device });
  await gateway.state(device, "connected");
  const sent = await gateway.ask("send", {
    device,
    message: "0197b9d0-5a3c-7c1e-9d53-5d1f0a7f3f10",
    attempt: 1,
    to: friend,
    type: "text",
    text: "halo dari yang baru",
    typing: false,
  });
  expect(sent["ok"]).toBe(true);
  await event(standIn, "shown", { number: friend, text: "halo dari yang baru" });
  const before = standIn.events.last;
  await standIn.phone(friend).send(device, { text: "diterima di sini" });
  await gateway.line("message.in", { device, text: "diterima di sini" });
  expect(gateway.lines.some((line) => line["op"] === "device.pairing")).toBe(false);
  await gateway.ask("device.stop", { device });

  const out = join(scratch, "out");
  mkdirSync(out);
  const { code, said, lines } = await exportFolder(device, out, values);
  expect(said).toBe("");
  expect(code).toBe(0);
  expect(lines[0]).toEqual({ ready: true });
  expect(lines[1]).toMatchObject({ done: { left_out: 0 } });
  for (const file of readdirSync(out)) {
    expect(statSync(join(out, file)).mode & 0o777, file).toBe(0o600);
  }
  await withFolder(standIn, out, async (client) => {
    await client.open();
    const id = await client.text(friend, "halo lagi dari yang lama");
    await event(standIn, "shown", { number: friend, id });
    await standIn.phone(friend).send(device, { text: "dan kembali" });
    await client.message("dan kembali");
  });
  expect(standIn.events.after(before, ({ type }) => type === "undecryptable")).toEqual([]);
  expect(standIn.events.after(0, ({ type }) => type === "violation")).toEqual([]);
}, SLOW_MS);
