// Starts, stops and forgets of one number happen in their order, and what a device says carries the
// generation of its start.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Line } from "../src/protocol/lines.js";
import { event } from "./support/stand_in.js";
import { World } from "./support/world.js";

const IS_OVER = "the gateway counts this start of the device as over: disconnecting";
let world: World;

beforeAll(async () => {
  world = await World.create();
});
afterAll(() => world.end());

const ofDevice = (device: string, after: number): Line[] =>
  world.gateway.lines
    .slice(after)
    .filter((line) => line["device"] === device && line["op"] !== "log");
/// What the device reports or stores. A read that a closed connection had begun does not matter.
const saidOf = (device: string, after: number): Line[] =>
  ofDevice(device, after).filter((line) => line["op"] !== "store.get");
const generationsOf = (lines: Line[]): unknown[] => [
  ...new Set(lines.map((line) => line["generation"])),
];

test("a start that is followed by a stop at once connects nothing", async () => {
  const { device, gateway } = world;
  await gateway.ask("device.stop", { device });
  for (let round = 0; round < 5; round++) {
    const answers = await gateway.askTogether([
      ["device.start", { device, generation: 10 + round }],
      ["device.stop", { device }],
    ]);
    expect(answers.map((answer) => answer["ok"])).toEqual([true, true]);
    const before = gateway.lines.length;
    // The device would say `connected` after a few round trips to the platform.
    const other = `62811000003${round}`;
    await world.pair(other);
    await gateway.ask("device.forget", { device: other });
    expect(saidOf(device, before)).toEqual([]);
    expect((await world.send())["error"]).toMatchObject({ kind: "device_down" });
  }
  await gateway.ask("device.start", { device, generation: 20 });
  await gateway.state(device, "connected");
});

test("a forget that is followed by a start at once makes a new device", async () => {
  const { gateway, standIn } = world;
  const device = "6281100000022";
  await gateway.ask("device.start", { device, generation: 1, pairing: "qr" });
  const step = await gateway.line("device.pairing", { device });
  await standIn.phone(device).scan(step["payload"] as string);
  await gateway.state(device, "connected");
  await event(standIn, "online", { number: device });

  const before = gateway.lines.length;
  const [forgotten, started] = await gateway.askTogether([
    ["device.forget", { device }],
    ["device.start", { device, generation: 2, pairing: "qr" }],
  ]);
  expect([forgotten!["ok"], started!["ok"]]).toEqual([true, true]);
  const begun = gateway.lines.length;
  expect(await gateway.line("device.pairing", { device }, before)).toMatchObject({ generation: 2 });
  expect(generationsOf(ofDevice(device, begun))).toEqual([2]);
  expect(gateway.lines.slice(before).filter((line) => line["clear"] === true)).toEqual([]);

  await gateway.ask("device.stop", { device });
  const stopped = gateway.lines.length;
  await world.pair("6281100000023");
  expect(saidOf(device, stopped)).toEqual([]);
});

test("all that a device says and stores carries its generation", async () => {
  const { gateway, standIn, friend } = world;
  const device = "6281100000024";
  await gateway.ask("device.start", { device, generation: 7, pairing: "qr" });
  const step = await gateway.line("device.pairing", { device });
  await standIn.phone(device).scan(step["payload"] as string);
  await gateway.state(device, "connected");
  expect((await world.send({ device, to: friend }))["ok"]).toBe(true);
  const ops = new Set(ofDevice(device, 0).map((line) => line["op"]));
  for (const op of ["device.state", "device.pairing", "store.get", "store.put"]) {
    expect(ops).toContain(op);
  }
  expect(generationsOf(ofDevice(device, 0))).toEqual([7]);

  const before = gateway.lines.length;
  await gateway.ask("device.start", { device, generation: 8 });
  expect(await gateway.state(device, "connected", before)).toMatchObject({ generation: 8 });
  expect((await world.send({ device, to: friend }))["ok"]).toBe(true);
  // What was written before the worker had read the start may come after it was asked.
  const after = ofDevice(device, before);
  const first = after.findIndex((line) => line["generation"] === 8);
  expect(generationsOf(after.slice(first))).toEqual([8]);
});

test("a device whose start is over for the gateway disconnects", async () => {
  const { gateway, friend } = world;
  const device = "6281100000025";
  await world.pair(device);
  gateway.refusals.set("store.put", { kind: "stale" });
  try {
    void world.send({ device, to: friend }).catch(() => {});
    await gateway.line("log", { device, text: IS_OVER });
  } finally {
    gateway.refusals.delete("store.put");
  }
  const before = gateway.lines.length;
  expect((await world.send({ device, to: friend }))["error"]).toMatchObject({
    kind: "device_down",
  });
  await world.pair("6281100000026");
  expect(saidOf(device, before)).toEqual([]);
});
