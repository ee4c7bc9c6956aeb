import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeGateway } from "./support/fake_gateway.js";
import { configOf, event, startStandIn, type StandIn } from "./support/stand_in.js";

let standIn: StandIn;
let gateway: FakeGateway;

beforeAll(async () => {
  standIn = await startStandIn();
  gateway = new FakeGateway(configOf(standIn));
  gateway.start();
  await gateway.line("hello");
});

afterAll(async () => {
  await gateway.stop();
  await standIn.end();
});

test("a device is paired by QR, and is back without one after kill -9", async () => {
  const device = "6281100000001";
  await gateway.ask("device.start", { device, pairing: "qr" });
  const step = await gateway.line("device.pairing", { device });
  expect(step).toMatchObject({ method: "qr", expires_in_ms: 60_000 });
  await standIn.phone(device).scan(step["payload"] as string);
  await gateway.state(device, "connected");
  const before = gateway.lines.length;
  await gateway.killAndRestart();
  await gateway.line("hello", {}, before);
  await gateway.ask("device.start", { device });
  await gateway.state(device, "connected", before);
  const steps = gateway.lines.slice(before).filter((line) => line["op"] === "device.pairing");
  expect(steps).toEqual([]);
});

test("a device is paired by a code of eight characters", async () => {
  const device = "6281100000002";
  standIn.phone(device);
  await gateway.ask("device.start", { device, pairing: "code" });
  const step = await gateway.line("device.pairing", { device });
  expect(step["method"]).toBe("code");
  expect(step["payload"]).toMatch(/^[0-9A-Z]{8}$/);
  await standIn.phone(device).enterCode(step["payload"] as string);
  await gateway.state(device, "connected");
});

test("the phone of another number does not pair a device", async () => {
  const device = "6281100000003";
  await gateway.ask("device.start", { device, pairing: "qr" });
  const step = await gateway.line("device.pairing", { device });
  void standIn
    .phone("6281100000099")
    .scan(step["payload"] as string)
    .catch(() => {});
  const state = await gateway.state(device, "disconnected");
  expect(state["reason"]).toContain("nomor lain");
  expect(gateway.store(device).values.size).toBe(0);
});

test("nothing is kept of a device before it is paired", async () => {
  const device = "6281100000004";
  await gateway.ask("device.start", { device, pairing: "qr" });
  await gateway.line("device.pairing", { device });
  await gateway.ask("device.stop", { device });
  expect(gateway.store(device).puts).toEqual([]);
});

test("a device that the phone unlinks is logged out, and stays so", async () => {
  const device = "6281100000005";
  await gateway.ask("device.start", { device, pairing: "qr" });
  const step = await gateway.line("device.pairing", { device });
  await standIn.phone(device).scan(step["payload"] as string);
  await gateway.state(device, "connected");
  await event(standIn, "online", { number: device });
  const store = gateway.store(device);
  store.holdUp();
  standIn.close(device, 401);
  const state = await gateway.state(device, "logged_out");
  expect(state["platform_code"]).toBe("401");
  // When the stop is answered all writes have ended, also that of the void credentials.
  const stopped = gateway.ask("device.stop", { device });
  await gateway.ask("ping");
  store.goOn();
  await stopped;
  expect([...store.values.keys()]).toEqual(["void"]);
  const before = gateway.lines.length;
  await gateway.ask("device.start", { device });
  await gateway.state(device, "logged_out", before);
});

test.each(["signature", "seal"] as const)(
  "an account that is confirmed with a wrong %s is not linked",
  async (fault) => {
    const device = "6281100000006";
    standIn.pairing.fault = fault;
    try {
      const before = gateway.lines.length;
      await gateway.ask("device.start", { device, pairing: "qr" });
      const step = await gateway.line("device.pairing", { device }, before);
      void standIn
        .phone(device)
        .scan(step["payload"] as string)
        .catch(() => {});
      // The pairing starts again with another code.
      const lines = gateway.lines.indexOf(step) + 1;
      await gateway.line("device.pairing", { device }, lines);
      expect(gateway.store(device).puts).toEqual([]);
    } finally {
      standIn.pairing.fault = undefined;
      await gateway.ask("device.stop", { device });
    }
  },
);
