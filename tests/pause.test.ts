// A paused device: it accepts and keeps messages, and sends them when it is resumed.
import { beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { openShop, sendText } from "./support/callback_shop.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import type { Sink } from "./support/sink.ts";

let gateway: Gateway;
let sink: Sink;
let account: Account;

beforeAll(async () => {
  const opened = await openShop({ secure: false, settings: { "api.revision_b.wait": "1s" } });
  ({ gateway, sink, account } = opened);
  return opened.close;
});

const state = async (id: string) => (await gateway.json("message", "show", id)).state;

const send = (from: string) => sendText(sink, account, from);

test("what a paused device is given waits, over kill -9 too, until it is resumed", async () => {
  const number = freshNumber();
  await account.device(number, "--webhook", sink.url(`/${number}`));
  const paused = await gateway.json("device", "pause", number);
  expect(paused).toMatchObject({ number, state: "connected", paused_reason: "asked" });
  expect(Date.parse(paused.paused_since)).toBeGreaterThan(Date.now() - 60_000);
  const again = await gateway.json("device", "pause", number);
  expect(again.paused_since).toBe(paused.paused_since);

  const first = await send(number);
  const other = await send(await account.device(freshNumber()));
  await sink.requests(other.path, 1); // The other device sends.
  await gateway.kill();
  await gateway.start();
  const second = await send(number);
  const listed = (await gateway.json("device", "list")).find((one: any) => one.number === number);
  expect(listed).toMatchObject({ state: "connected", paused_since: paused.paused_since });
  for (const { id } of [first, second]) expect(await state(id)).toBe("pending");
  expect(gateway.simulator.of(first.message)).toEqual([]);

  const resumed = await gateway.json("device", "resume", number);
  expect(resumed).toMatchObject({ paused_since: null, paused_reason: null });
  for (const sent of [first, second]) {
    const [callback] = await sink.requests(sent.path, 1);
    expect(callback!.json).toMatchObject({ status: "sent", requestId: sent.id });
  }
  // A pause causes no webhook: only the connection was reported.
  for (const request of sink.at(`/${number}`)) {
    expect(request.json.event).toBe("device.connected");
  }
});

test("revision B waits for a paused device, then answers pending", async () => {
  const number = await account.device(freshNumber());
  await gateway.json("device", "pause", number);
  const pesan = freshText();
  const answer = await account.send({ to: "6281234567890", from: number, pesan, Type: "text" });
  expect(answer.status).toBe(200);
  expect(answer.json.data).toMatchObject({ status: "pending", code: 200 });
  await gateway.json("device", "resume", number);
  await gateway.simulator.attempt(pesan);
});

test("a device is paused and resumed on a stopped server too", async () => {
  const stopped = await Gateway.create();
  const { account: owner, device } = await shop(stopped);
  await stopped.stop();
  expect((await stopped.json("device", "pause", device)).paused_reason).toBe("asked");
  await stopped.start();
  const message = freshText();
  const body = { to: "6281234567890", from: device, message, Type: "text" };
  const id = expectAccepted(await owner.send(body));
  expect((await stopped.json("message", "show", id)).state).toBe("pending");
  await stopped.stop();
  await stopped.json("device", "resume", device);
  await stopped.start();
  await stopped.simulator.attempt(message);
  await stopped.close();
});
