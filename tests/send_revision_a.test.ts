// Revision A: accepted, then reported.
import { beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { openShop } from "./support/callback_shop.ts";
import { expectSchema } from "./support/contract.ts";
import { expectAccepted } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import { expectSigned } from "./support/signature.ts";
import type { Sink } from "./support/sink.ts";

let gateway: Gateway;
let sink: Sink;
let account: Account;
let device: string;

beforeAll(async () => {
  const opened = await openShop();
  ({ gateway, sink, account, device } = opened);
  return opened.close;
});

test("a text is accepted, sent by the device, and reported", async () => {
  const to = freshNumber();
  const message = freshText();
  const reply = await account.send({
    to,
    from: device,
    message,
    Type: "text",
    callbackStatus: sink.url("/a"),
  });
  expect(reply.status).toBe(200);
  expect(reply.json).toEqual({
    success: true,
    message: "Pesan sedang diproses",
    data: { status: "pending", requestId: expect.any(String), to, code: 200 },
  });
  expect(reply.headers["x-api-revision"]).toBe("A");
  const attempt = await gateway.simulator.attempt(message);
  expect(attempt).toMatchObject({
    from: device,
    to,
    type: "text",
    body: message,
    media: null,
    typing: false,
    attempt: 1,
    result: "sent",
    code: 200,
  });
  const callback = await sink.request("/a");
  expectSchema("DeliveryStatus", callback.json);
  expect(callback.json).toEqual({
    device: Number(device),
    requestId: reply.json.data.requestId,
    campaignId: "",
    type: "text",
    messageid: attempt.messageid,
    status: "sent",
    to: Number(to),
    code: 200,
    details: "Pesan terkirim",
  });
  expectSigned(account.webhookSecret, callback.headers, callback.body);
});

test("data.to comes back in the JSON type it was sent in", async () => {
  const to = freshNumber();
  const body = { from: device, message: freshText(), Type: "text" };
  expectAccepted(await account.send({ ...body, to }), to);
  expectAccepted(await account.send({ ...body, to: Number(to) }), Number(to));
});

test("from may be a JSON number as well", async () => {
  const message = freshText();
  expectAccepted(
    await account.send({ to: freshNumber(), from: Number(device), message, Type: "text" }),
  );
  expect((await gateway.simulator.attempt(message)).from).toBe(device);
});

test("request ids are UUIDs and never the same", async () => {
  const body = { to: freshNumber(), from: device, message: freshText(), Type: "text" };
  const replies = await Promise.all(Array.from({ length: 20 }, () => account.send(body)));
  const ids = replies.map((reply) => expectAccepted(reply));
  expect(new Set(ids).size).toBe(20);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

test("a text arrives at the platform byte by byte as it was sent", async () => {
  const message = `${freshText()} \u{1f426} baris\nkedua\ttab "kutip" \\ \u0001 é 漢字 \u{e000}`;
  expectAccepted(await account.send({ to: freshNumber(), from: device, message, Type: "text" }));
  expect((await gateway.simulator.attempt(message)).body).toBe(message);
});

test("typing is shown when it is asked for", async () => {
  const message = freshText();
  const body = { to: freshNumber(), from: device, message, Type: "text" };
  expectAccepted(await account.send({ ...body, typing: true }));
  expect((await gateway.simulator.attempt(message)).typing).toBe(true);
});

test("without delay a text leaves within about a second", async () => {
  const message = freshText();
  const start = Date.now();
  expectAccepted(await account.send({ to: freshNumber(), from: device, message, Type: "text" }));
  const attempt = await gateway.simulator.attempt(message);
  expect(Date.parse(attempt.time) - start).toBeLessThan(2500);
});

test("without callbackStatus the account's default callback is told", async () => {
  const { account: other, device: from } = await shop(gateway, {
    callback: sink.url("/default"),
  });
  const body = { to: freshNumber(), from, Type: "text" };
  const missing = expectAccepted(await other.send({ ...body, message: freshText() }));
  const empty = expectAccepted(
    await other.send({ ...body, message: freshText(), callbackStatus: "" }),
  );
  const own = expectAccepted(
    await other.send({ ...body, message: freshText(), callbackStatus: sink.url("/own") }),
  );
  const told = await sink.requests("/default", 2);
  expect(told.map((received) => received.json.requestId).sort()).toEqual([missing, empty].sort());
  expect((await sink.request("/own")).json.requestId).toBe(own);
  for (const received of told) expectSigned(other.webhookSecret, received.headers, received.body);
});

test("a failure is reported with its code", async () => {
  const to = simulated("991001");
  const message = freshText();
  const id = expectAccepted(
    await account.send({
      to,
      from: device,
      message,
      Type: "text",
      callbackStatus: sink.url("/fail"),
    }),
  );
  const { json } = await sink.request("/fail");
  expectSchema("DeliveryStatus", json);
  expect(json).toMatchObject({ requestId: id, status: "failed", code: 1001, to: Number(to) });
});

test("message list and message show know what became of it", async () => {
  const message = freshText();
  const id = expectAccepted(
    await account.send({
      to: freshNumber(),
      from: device,
      message,
      Type: "text",
      callbackStatus: sink.url("/shown"),
    }),
  );
  await sink.request("/shown");
  expect(await gateway.json("message", "show", id)).toMatchObject({ state: "sent" });
});
