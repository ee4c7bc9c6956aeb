// Commands on a stopped server's store cause the same callbacks and webhooks, once it starts.
import { beforeAll, expect, test } from "vitest";
import type { Account } from "./support/account.ts";
import { openShop } from "./support/callback_shop.ts";
import { expectAccepted } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import type { Sink } from "./support/sink.ts";

let gateway: Gateway;
let sink: Sink;
let account: Account;
let device: string;

beforeAll(async () => {
  const opened = await openShop({ secure: false, account: { credits: 10 } });
  ({ gateway, sink, account, device } = opened);
  return opened.close;
});

test("a message that is cancelled calls back, and its credit comes back", async () => {
  const send = async (path: string) => {
    const body = { to: freshNumber(), from: device, message: freshText(), Type: "text" };
    const late = { ...body, delay: 18_000, callbackStatus: sink.url(path) };
    return expectAccepted(await account.send(late));
  };
  const up = await send("/cancelled-up");
  const down = await send("/cancelled-down");
  await gateway.json("message", "cancel", up);
  const toldUp = (await sink.request("/cancelled-up")).json;
  expect(await gateway.stop()).toBe(0);
  expect(await gateway.json("message", "cancel", down)).toMatchObject({ state: "cancelled" });
  expect((await gateway.cli("message", "cancel", down)).code).toBe(1);
  await gateway.start();
  const toldDown = (await sink.request("/cancelled-down")).json;
  expect(toldDown.requestId).toBe(down);
  expect(Object.keys(toldDown)).toEqual(Object.keys(toldUp));
  const { code, details, status } = toldUp;
  expect(toldDown).toMatchObject({ code, details, status });
  expect(sink.at("/cancelled-down")).toHaveLength(1);
  expect((await gateway.json("account", "show", account.id)).credit).toBe(10);
});

test("a device that is added tells its webhook", async () => {
  const up = await account.device(freshNumber(), "--webhook", sink.url("/added-up"));
  const toldUp = (await sink.request("/added-up")).json;
  expect(await gateway.stop()).toBe(0);
  const down = await account.device(freshNumber(), "--webhook", sink.url("/added-down"));
  await account.device(down, "--webhook", sink.url("/added-down")); // No change of state.
  await gateway.start();
  const toldDown = (await sink.request("/added-down")).json;
  expect({ ...toldDown, timestamp: "" }).toEqual({
    ...toldUp,
    device: Number(down),
    timestamp: "",
  });
  expect(toldUp.device).toBe(Number(up));
  await gateway.json("device", "disconnect", down); // Its webhook comes after all earlier ones.
  await sink.requests("/added-down", 2);
  expect(sink.at("/added-down").map(({ json }) => json.event)).toEqual([
    "device.connected",
    "device.disconnected",
  ]);
});

test("a device that is disconnected and connected tells its webhook", async () => {
  const words = (path: string) =>
    sink.at(path).map(({ json }) => [json.event, JSON.stringify(json.data)]);
  const up = await account.device(freshNumber(), "--webhook", sink.url("/device-up"));
  const down = await account.device(freshNumber(), "--webhook", sink.url("/device-down"));
  for (const path of ["/device-up", "/device-down"]) await sink.request(path); // Connected.
  await gateway.json("device", "disconnect", up);
  await sink.requests("/device-up", 2);
  await gateway.json("device", "connect", up);
  await sink.requests("/device-up", 3);

  expect(await gateway.stop()).toBe(0);
  await gateway.json("device", "disconnect", down);
  await gateway.json("device", "disconnect", down); // No change of state.
  await gateway.json("device", "connect", down);
  await gateway.start();
  await sink.requests("/device-down", 3);
  expect(words("/device-down").sort()).toEqual(words("/device-up").sort());
  for (const { json } of sink.at("/device-down")) expect(json.device).toBe(Number(down));
});
