// What the platform lets a device begin: tokens of the history, time-locks, caps, unclear look-ups,
// the app's state; with the stand-in.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Line } from "../src/protocol/lines.js";
import { FakeGateway } from "./support/fake_gateway.js";
import { configOf, event, startStandIn, type StandIn } from "./support/stand_in.js";

const device = "6281100000001";
const friend = "6281234567890";
const stranger = "6281234567891";
let standIn: StandIn;
let gateway: FakeGateway;

beforeAll(async () => {
  standIn = await startStandIn();
  for (const number of [friend, stranger]) standIn.phone(number);
  standIn.trust(friend, device);
  gateway = new FakeGateway(configOf(standIn));
  gateway.start();
  await gateway.line("hello");
  await gateway.ask("device.start", { device, pairing: "qr" });
  const step = await gateway.line("device.pairing", { device });
  await standIn.phone(device).scan(step["payload"] as string);
  await gateway.state(device, "connected");
  await gateway.line("log", { text: "the phone's history named 1 contacts" });
});
afterEach(() => {
  standIn.reachout.tokensRequired = false;
  standIn.lookUpFault = undefined;
});
afterAll(async () => {
  await gateway.stop();
  await standIn.end();
});

const send = (to: string): Promise<Line> =>
  gateway.ask("send", {
    ...{ device, message: randomUUID(), attempt: 1, to, type: "text", text: "Halo" },
    typing: false,
  });
const error = (answer: Line): Line => answer["error"] as Line;

test("a device that was just linked writes to those who trusted its phone", async () => {
  standIn.reachout.tokensRequired = true;
  expect((await send(friend))["ok"]).toBe(true);
  expect(error(await send(stranger))).toMatchObject({
    kind: "account_restricted",
    platform_code: "463",
  });
});

test("messages of the history are not received", () => {
  expect(gateway.lines.filter((line) => line["op"] === "message.in")).toEqual([]);
});

test("a look-up that says nothing is no missing registration, and is asked again", async () => {
  const number = "6281234567892";
  standIn.phone(number);
  for (const fault of ["missing", "error"] as const) {
    standIn.lookUpFault = fault;
    const checked = await gateway.ask("number.check", { device, number });
    expect(error(checked)["kind"]).toBe("unavailable");
  }
  standIn.lookUpFault = undefined;
  const checked = await gateway.ask("number.check", { device, number });
  expect(checked["result"]).toEqual({ registered: true });
  standIn.setRegistered("6281234567893", false);
  const missing = await gateway.ask("number.check", { device, number: "6281234567893" });
  expect(missing["result"]).toEqual({ registered: false });
});

test("during a time-lock new chats are refused here, and answers go on", async () => {
  const before = gateway.lines.length;
  const until = (Math.ceil(Date.now() / 1000) + 3600) * 1000;
  standIn.lock(device, until);
  const state = await gateway.state(device, "restricted", before);
  expect(state).toMatchObject({ until_at_ms: until, reason: expect.stringContaining("membatasi") });
  const sent = standIn.events.last;
  expect(error(await send(stranger))).toMatchObject({ kind: "restricted", until_at_ms: until });
  expect(standIn.events.after(sent, ({ type }) => type === "refused")).toEqual([]);
  expect((await send(friend))["ok"]).toBe(true);

  await standIn.phone(stranger).send(device, { text: "Saya mau pesan" });
  await gateway.line("message.in", { device, from: stranger });
  standIn.trust(stranger, device);
  await event(standIn, "acknowledged", { number: device, kind: "privacy_token" }, sent);
  expect((await send(stranger))["ok"]).toBe(true);
});

test("a restriction is known again to the next worker, and its end is reported", async () => {
  const before = gateway.lines.length;
  await gateway.killAndRestart();
  await gateway.line("hello", {}, before);
  await gateway.ask("device.start", { device });
  await gateway.state(device, "restricted", before);
  standIn.lock(device, undefined);
  const after = gateway.lines.length;
  await gateway.state(device, "connected", after - 1);
});

test("a refusal tells of a restriction that was not announced", async () => {
  const number = "6281234567894";
  standIn.phone(number);
  await send(number); // Looked up.
  const before = gateway.lines.length;
  const until = (Math.ceil(Date.now() / 1000) + 3600) * 1000;
  standIn.phone(device).account.lockedUntil = until / 1000;
  const answer = error(await send(number));
  expect(answer).toMatchObject({ kind: "restricted", until_at_ms: until, platform_code: "463" });
  await gateway.state(device, "restricted", before);
  standIn.lock(device, undefined);
});

test("a cap of new chats restricts until its end", async () => {
  const before = gateway.lines.length;
  const until = (Math.ceil(Date.now() / 1000) + 2) * 1000;
  standIn.cap(device, until);
  const state = await gateway.state(device, "restricted", before);
  expect(state).toMatchObject({ until_at_ms: until, reason: expect.stringContaining("Jatah") });
  await gateway.state(device, "connected", gateway.lines.indexOf(state));
});

test("the app's state is acknowledged and never asked for, however large it is", async () => {
  const before = standIn.events.last;
  const puts = gateway.store(device).puts.length;
  standIn.phone(device).saveContacts(5_000);
  await event(standIn, "acknowledged", { number: device, kind: "server_sync" }, before);
  expect((await send(friend))["ok"]).toBe(true);
  expect(standIn.events.after(0, ({ type }) => type === "app_state_asked")).toEqual([]);
  expect(standIn.events.after(before, ({ type }) => type === "closed")).toEqual([]);
  const sizes = gateway.store(device).puts.slice(puts).flatMap((put) => Object.values(put));
  expect(Math.max(...sizes.map((value) => value?.length ?? 0))).toBeLessThan(100_000);
});
