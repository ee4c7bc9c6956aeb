import { afterAll, beforeAll, expect, test } from "vitest";
import { ProtocolError } from "../src/protocol/errors.js";
import { FakeGateway } from "./support/fake_gateway.js";
import { event } from "./support/stand_in.js";
import { World } from "./support/world.js";

let world: World;

beforeAll(async () => {
  world = await World.create();
});
afterAll(() => world.end());

test.each([
  [515, undefined],
  [503, "reconnecting"],
])("a connection that ends with %i comes back by itself", async (code, between) => {
  const { device, gateway, standIn } = world;
  const before = gateway.lines.length;
  standIn.close(device, code);
  await gateway.state(device, "connected", before);
  const states = gateway.lines
    .slice(before)
    .filter((line) => line["op"] === "device.state")
    .map((line) => line["state"]);
  expect(states).toEqual(between ? [between, "connected"] : ["connected"]);
});

test("a connection that the network drops comes back by itself", async () => {
  const { device, gateway, standIn } = world;
  const before = gateway.lines.length;
  standIn.drop(device);
  await gateway.state(device, "reconnecting", before);
  await gateway.state(device, "connected", before);
});

test("a failing device disturbs no other", async () => {
  const { device, gateway, standIn } = world;
  const bad = "6281100000008";
  await world.pair(bad);
  gateway.store(bad).refuse = new ProtocolError("refused", "full");
  const before = gateway.lines.length;
  standIn.close(bad, 500);
  await gateway.state(bad, "reconnecting", before);
  expect((await world.send({ text: "Tetap jalan" }))["ok"]).toBe(true);
  const states = gateway.lines.slice(before).filter((line) => line["device"] === device);
  expect(states.filter((line) => line["op"] === "device.state")).toEqual([]);
  await gateway.ask("device.stop", { device: bad });
});

test("two devices write to the same contact at once", async () => {
  const other = "6281100000009";
  await world.pair(other);
  const answers = await Promise.all([
    ...[1, 2, 3].map((count) => world.send({ text: `a${count}` })),
    ...[1, 2, 3].map((count) => world.send({ text: `b${count}`, device: other })),
  ]);
  expect(answers.every((answer) => answer["ok"])).toBe(true);
});

test("a device that another program takes over is replaced, and does nothing", async () => {
  const device = "6281100000010";
  await world.pair(device);
  world.standIn.close(device, 440);
  const state = await world.gateway.state(device, "replaced");
  expect(state["platform_code"]).toBe("440");
  expect((await world.send({ device }))["error"]).toMatchObject({ kind: "device_down" });
});

test("an account that is blocked is banned", async () => {
  const device = "6281100000011";
  await world.pair(device);
  world.standIn.close(device, 403);
  const state = await world.gateway.state(device, "banned");
  expect(state["platform_code"]).toBe("403");
});

test("a forgotten device is logged out at the platform, and nothing of it is kept", async () => {
  const device = "6281100000012";
  await world.pair(device);
  await world.gateway.ask("device.forget", { device });
  await event(world.standIn, "unlinked", { number: device });
  expect(world.gateway.store(device).values.size).toBe(0);
});

test("a device that is forgotten while it stores values is logged out too", async () => {
  const device = "6281100000015";
  await world.pair(device);
  const before = world.gateway.lines.length;
  world.gateway.remove(device);
  world.standIn.setRegistered("6281234567801", true);
  const sending = world.send({ device, to: "6281234567801" }); // Ends with the connection.
  await world.gateway.line("store.put", { device }, before);
  await world.gateway.ask("device.forget", { device });
  await event(world.standIn, "unlinked", { number: device });
  await sending;
});

test.each(["foreign_root", "foreign_leaf", "foreign_key", "expired"])(
  "a platform whose certificate is %s is not trusted",
  async (fault) => {
    const { gateway, standIn } = world;
    const device = "6281100000013";
    standIn.chainFault = fault;
    try {
      const before = gateway.lines.length;
      await gateway.ask("device.start", { device, pairing: "qr" });
      const state = await gateway.state(device, "disconnected", before);
      expect(state["reason"]).toContain("tidak dapat dipercaya");
      const steps = gateway.lines.slice(before).filter((line) => line["op"] === "device.pairing");
      expect(steps).toEqual([]);
    } finally {
      standIn.chainFault = undefined;
    }
  },
);

test("the platform's own root is trusted unless the settings name another", async () => {
  const { standIn } = world;
  const other = new FakeGateway({ url: standIn.url, ca_file: standIn.rootFile });
  other.start();
  try {
    await other.line("hello");
    await other.ask("device.start", { device: "6281100000014", pairing: "qr" });
    const state = await other.state("6281100000014", "disconnected");
    expect(state["reason"]).toContain("tidak dapat dipercaya");
  } finally {
    await other.stop();
  }
});

test("shutdown ends what is under way, and exits with 0", async () => {
  const gateway = new FakeGateway();
  gateway.start();
  await gateway.line("hello");
  expect((await gateway.ask("shutdown", { within_ms: 3_000 }))["ok"]).toBe(true);
  await gateway.ended();
  expect(gateway.exitCode).toBe(0);
});

test("a worker whose gateway is gone ends", async () => {
  const gateway = new FakeGateway();
  gateway.start();
  await gateway.line("hello");
  gateway.closeSocket();
  await gateway.ended();
  expect(gateway.exitCode).toBe(1);
});

test("a wrong setting is said on standard error, and starting again does not help", async () => {
  const gateway = new FakeGateway({ root_key: "abc" });
  gateway.start();
  await gateway.ended();
  expect(gateway.exitCode).toBe(78);
  expect(gateway.output.join("")).toContain("root_key");
});

test("requests that are not known, or not well formed, are answered", async () => {
  const { gateway } = world;
  const kindOf = async (op: string, fields = {}): Promise<unknown> =>
    ((await gateway.ask(op, fields))["error"] as { kind: string }).kind;
  expect(await kindOf("device.dance")).toBe("unsupported");
  expect(await kindOf("device.start", { device: "abc" })).toBe("invalid");
  expect(await kindOf("device.start", { device: "628", pairing: "otp" })).toBe("unsupported");
  expect(await kindOf("device.answer", { device: "628", answer: "1" })).toBe("invalid");
  expect(await kindOf("number.check", { device: "628", number: "1" })).toBe("device_down");
});
