// Statuses that a platform reports after taking a message: late, twice, in the wrong order, or
// never.
import { beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { openShop, sendText, type Sent } from "./support/callback_shop.ts";
import { expectSchema } from "./support/contract.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import type { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let sink: Sink;
let account: Account;
let device: string;

const settings = { "outbound.allow_http_callbacks": true, "scheduler.retry_first": "500ms" };

beforeAll(async () => {
  const opened = await openShop({ secure: false, settings, account: { credits: 100 } });
  ({ gateway, sink, account } = opened);
  device = await account.device(freshNumber(), "--webhook", sink.url("/device"));
  return opened.close;
});

const send = (to: string, from = device, by = account) => sendText(sink, by, from, to);

/** The statuses of this message that the device's webhook received, in order. */
const events = (event: string, id: string) =>
  sink
    .at("/device")
    .map((request) => request.json)
    .filter((json) => json.event === event && json.data.requestId === id)
    .map((json) => json.data.status);

/** Ids of the callbacks at a path: a callback without an answer comes again with the same id. */
const callbacks = (path: string) =>
  new Set(sink.at(path).map((request) => request.headers["webhook-id"]));

const stateOf = async (id: string, of = gateway) => (await of.json("message", "show", id)).state;

test("what is accepted is reported when the platform says that it was sent", async () => {
  const { id, message, path } = await send(simulated("996000"));
  const { json } = await sink.request(path);
  expectSchema("DeliveryStatus", json);
  expect(json).toMatchObject({ requestId: id, status: "sent", code: 200 });
  expect(json.messageid).toBe(gateway.simulator.of(message)[0]!.messageid);
  await waitFor("its being read", () => events("message.status", id).includes("read"));
  expect(events("message.status", id).sort()).toEqual(["delivered", "read"]);
  for (const { json: told } of sink.at("/device")) {
    if (told.event === "message.status") expectSchema("DeviceEvent", told);
  }
  expect(sink.at(path)).toHaveLength(1);
  expect(gateway.simulator.of(message)).toHaveLength(1);
});

test("a late failure is reported once, and its credit comes back", async () => {
  const credit = async () => (await gateway.json("account", "show", account.id)).credit;
  const before = await credit();
  const { id, path } = await send(simulated("996001"));
  const { json } = await sink.request(path);
  expect(json).toMatchObject({
    requestId: id,
    status: "failed",
    code: 500,
    details: "Platform gagal mengirim pesan",
  });
  expect(await credit()).toBe(before);
  expect(await stateOf(id)).toBe("failed");
  expect(events("message.status", id)).toEqual([]); // Only the callback reported it.
});

test.each(["996002", "996003"])("%s: each status counts once, in any order", async (code) => {
  const { id, message, path } = await send(simulated(code));
  expect((await sink.request(path)).json).toMatchObject({ requestId: id, code: 200 });
  await waitFor("its being read", () => events("message.status", id).includes("read"));
  // A later message has received all its statuses, so no more can be in flight for this one.
  const after = await send(simulated("996000"));
  await waitFor("the next one", () => events("message.status", after.id).includes("read"));
  expect(events("message.status", id)).toEqual(
    code === "996002" ? ["read"] : ["delivered", "read"],
  );
  expect(sink.at(path)).toHaveLength(1);
  expect(gateway.simulator.of(message)).toHaveLength(1);
});

test("revision B waits for what the platform says in the end", async () => {
  const b = (to: string) => account.send({ to, from: device, pesan: freshText(), Type: "text" });
  expect((await b(simulated("996000"))).json).toMatchObject({ success: true, data: { code: 200 } });
  expect((await b(simulated("996001"))).status).toBe(500);
});

test("an outcome that nobody knows is tried again, or held", async () => {
  const again = await send(simulated("995003"));
  expect((await sink.request(again.path)).json).toMatchObject({ code: 200 });
  expect(gateway.simulator.of(again.message).map((line) => line.attempt)).toEqual([1, 2]);
  const careful = await shop(gateway, { delivery: "at-most-once" });
  const held = await send(simulated("995003"), careful.device, careful.account);
  await waitFor("it to be held", async () => (await stateOf(held.id)) === "held");
  expect(gateway.simulator.of(held.message)).toHaveLength(1);
});

test("a worker that dies costs no message, and its devices come back", async () => {
  const other = await Gateway.create({ settings });
  const { account: owner, device: lost } = await shop(other);
  const fatal = await send(simulated("995004"), lost, owner);
  const next = await send(freshNumber(), lost, owner);
  expect((await sink.request(fatal.path)).json).toMatchObject({ code: 200 });
  expect((await sink.request(next.path)).json).toMatchObject({ code: 200 });
  expect(other.log).toContain('"state":"reconnecting"');
  await other.close();
});

test("a message that the recipient answers comes in once", async () => {
  const to = simulated("997000");
  const { message } = await send(to);
  const received = () =>
    sink
      .at("/device")
      .map((request) => request.json)
      .filter((json) => json.event === "message.received" && json.data.from === to);
  await waitFor("the answer", () => received().length > 0);
  const after = await send(simulated("997000"));
  await sink.request(after.path);
  await waitFor("the next answer", () =>
    sink.at("/device").some((request) => request.json.data.text === `Balasan: ${after.message}`),
  );
  expect(received()).toHaveLength(1);
  expectSchema("DeviceEvent", received()[0]);
  expect(received()[0].data).toMatchObject({ type: "text", text: `Balasan: ${message}` });
});

test("what is handed over survives kill -9, and is never sent again", async () => {
  const other = await Gateway.create({ settings: { ...settings, "simulator.dedupe": true } });
  const { account: owner, device: from } = await shop(other, { credits: 10 });
  const credit = async () => (await other.json("account", "show", owner.id)).credit;
  // The platform reports on one when the device reconnects, and never on the other.
  const told = await send(simulated("996005"), from, owner);
  const silent = await send(simulated("996004"), from, owner);
  for (const { id } of [told, silent]) {
    await waitFor("the hand-over", async () => (await stateOf(id, other)) === "handed_over");
  }
  const listed = await other.json("message", "list", "--state", "handed_over");
  expect(listed.map((message: any) => message.id).sort()).toEqual([told.id, silent.id].sort());
  const cancelled = await other.cli("message", "cancel", told.id);
  expect(cancelled.code).toBe(1);
  expect(cancelled.stderr).toContain("handed_over");
  expect(sink.at(told.path)).toEqual([]);

  for (let round = 0; round < 3; round += 1) {
    await other.kill();
    expect(await stateOf(silent.id, other)).toBe("handed_over"); // In the stopped store, too.
    await other.start();
  }
  expect((await sink.request(told.path)).json).toMatchObject({ requestId: told.id, code: 200 });
  const end = (await sink.request(silent.path, 30_000)).json;
  expectSchema("DeliveryStatus", end);
  expect(end).toMatchObject({ requestId: silent.id, status: "failed", code: 500 });
  expect(end.details).toContain("tidak diketahui");
  expect(await credit()).toBe(9);
  for (const { message, path } of [told, silent]) {
    expect(other.simulator.of(message)).toHaveLength(1);
    expect(callbacks(path).size).toBe(1);
  }
  await other.close();
});

test("a kill in the middle of hand-overs loses and repeats nothing", async () => {
  const other = await Gateway.create({ settings: { ...settings, "simulator.dedupe": true } });
  const { account: owner, device: from } = await shop(other);
  const sent: Sent[] = [];
  for (let round = 0; round < 6; round += 1) {
    const batch = Array.from({ length: 20 }, () => send(simulated("996000"), from, owner));
    sent.push(...(await Promise.all(batch)));
    await other.kill();
    await other.start();
  }
  const after = await send(simulated("996000"), from, owner);
  await sink.request(after.path);
  // The statuses were lost with the simulated worker, so the outcome of the message stays unknown.
  for (const { id, message, path } of sent) {
    const { json } = await sink.request(path, 40_000);
    expect(json.requestId).toBe(id);
    expect(other.simulator.of(message)).toHaveLength(1);
  }
  for (const { path } of sent) expect(callbacks(path).size).toBe(1);
  await other.close();
}, 120_000);
