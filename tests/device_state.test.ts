// Devices that go down and come back, and their webhook.
import { beforeAll, expect, test } from "vitest";
import { shop } from "./support/account.ts";
import { openShop } from "./support/callback_shop.ts";
import { document, expectSchema } from "./support/contract.ts";
import { expectAccepted, expectRefused, rows } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { expectSigned } from "./support/signature.ts";
import type { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let sink: Sink;

beforeAll(async () => {
  const opened = await openShop();
  ({ gateway, sink } = opened);
  return opened.close;
});

const a = (from: string) => ({ to: freshNumber(), from, message: freshText(), Type: "text" });
const b = (from: string) => ({ to: freshNumber(), from, pesan: freshText(), Type: "text" });

test("a disconnected device is 503 in A and 500 in B, until it is back", async () => {
  const { account, device } = await shop(gateway);
  await gateway.json("device", "disconnect", device);
  await waitFor(
    "the disconnection",
    async () => (await account.send(a(device))).status === 503,
    1000,
  );
  expectRefused(await account.send(a(device)), rows.disconnected);
  expectRefused(await account.send(b(device)), rows.failed);
  await gateway.json("device", "connect", device);
  await waitFor("the connection", async () => (await account.send(a(device))).status === 200, 2000);
});

test("what was queued waits while the device is down, and leaves when it is back", async () => {
  const { account, device } = await shop(gateway);
  const body = { ...a(device), delay: 2 };
  const accepted = Date.now();
  expectAccepted(await account.send(body));
  await gateway.json("device", "disconnect", device);
  // A later message of another device shows that the due time has passed.
  const other = await shop(gateway);
  const later = { ...a(other.device), delay: 4 };
  expectAccepted(await other.account.send(later));
  await gateway.simulator.attempt(later.message);
  expect(Date.now() - accepted).toBeGreaterThan(3000);
  expect(gateway.simulator.of(body.message)).toEqual([]);
  await gateway.json("device", "connect", device);
  await gateway.simulator.attempt(body.message);
  expect(gateway.simulator.of(body.message)).toHaveLength(1);
});

test("what waits for a device that is down survives a restart", async () => {
  const { account, device } = await shop(gateway);
  const body = { ...a(device), delay: 1 };
  expectAccepted(await account.send({ ...body, delay: 2 }));
  await gateway.json("device", "disconnect", device);
  await gateway.restart();
  expectRefused(await account.send(a(device)), rows.disconnected);
  expect(gateway.simulator.of(body.message)).toEqual([]);
  await gateway.json("device", "connect", device);
  await gateway.simulator.attempt(body.message);
});

test("the device's webhook is told, signed like a callback", async () => {
  const { account } = await shop(gateway);
  const device = freshNumber();
  await account.addDevice({ device, webhook: sink.url("/device") });
  await gateway.json("device", "disconnect", device);
  const down = await waitFor("device.disconnected", () =>
    sink.at("/device").find((one) => one.json.event === "device.disconnected"),
  );
  await gateway.json("device", "connect", device);
  const up = await waitFor("device.connected", () =>
    sink.at("/device").find((one) => one.json.event === "device.connected" && one.at >= down.at),
  );
  for (const event of [down, up]) {
    expectSchema("DeviceEvent", event.json);
    expect(Object.keys(event.json).sort()).toEqual(["data", "device", "event", "timestamp"]);
    expect(event.json.device).toBe(Number(device));
    expect(Math.abs(Date.parse(event.json.timestamp) - event.at)).toBeLessThan(15_000);
    expectSigned(account.webhookSecret, event.headers, event.body);
  }
  expect(down.headers["webhook-id"]).not.toBe(up.headers["webhook-id"]);
  const { examples } =
    document.webhooks.deviceEvent.post.requestBody.content["application/json"];
  expect(down.json.data).toEqual(examples.disconnected.value.data);
  expect(up.json.data).toEqual(examples.connected.value.data);
});

test("a device webhook is sent again like a callback", async () => {
  const { account } = await shop(gateway);
  const device = freshNumber();
  sink.on("/device-retry", (attempt) => ({ status: attempt === 1 ? 500 : 204 }));
  await account.device(device, "--webhook", sink.url("/device-retry"));
  await gateway.json("device", "disconnect", device);
  const events = await waitFor(
    "the second attempt",
    () => {
      const all = sink
        .at("/device-retry")
        .filter(
          (one) => one.headers["webhook-id"] === sink.at("/device-retry")[0]?.headers["webhook-id"],
        );
      return all.length >= 2 ? all : undefined;
    },
    20_000,
  );
  expect(events[1]!.body).toBe(events[0]!.body);
});

test("a device with waiting messages cannot be removed; an idle one can", async () => {
  const { account, device } = await shop(gateway);
  const id = expectAccepted(await account.send({ ...a(device), delay: 18000 }));
  expect((await gateway.cli("device", "remove", device)).code).toBe(1);
  await gateway.json("message", "cancel", id);
  await gateway.json("device", "remove", device);
  await waitFor("the removal", async () => (await account.send(a(device))).status === 400, 1000);
  expectRefused(await account.send(a(device)), rows.sender);
});
