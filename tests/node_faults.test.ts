// Nodes of one database, of which one works at a time, that are killed, stopped, restarted and
// doubled while messages are sent: nothing that was acknowledged is lost, and no more is sent twice
// than was in flight. nodes_sharing_faults.test.ts has nodes that work at the same time.
import { afterAll, beforeAll, expect, test } from "vitest";
import { lease, takeover } from "./support/cluster.ts";
import { PostgresServer } from "./support/postgres.ts";
import { Sink } from "./support/sink.ts";
import { type Load, underLoad } from "./support/under_load.ts";

const window = 8; // Sends in flight for each device.
const devices = 4;
const inFlight = window * devices;

let server: PostgresServer;
let sink: Sink;

beforeAll(async () => {
  [server, sink] = await Promise.all([PostgresServer.open(), Sink.open({ secure: false })]);
});
afterAll(async () => {
  await sink.close();
  await server.close();
});

const load = (path: string, body: (load: Load) => Promise<void>) => {
  const settings = { "scheduler.window": window, "simulator.latency_ms": 10 };
  return underLoad({ server, sink, path }, { devices, settings }, body);
};

test("kill -9 of the node that works, three times", async () => {
  const kills = 3;
  const { totals, pause } = await load("/killed", async ({ cluster, callers }) => {
    for (let kill = 0; kill < kills; kill += 1) {
      const victim = (await cluster.owner())!;
      await victim.kill();
      expect(await cluster.successorOf(victim)).not.toBe(victim);
      await callers.accept(50);
      await cluster.start(victim); // From now on it is the one that waits.
    }
  });
  expect(pause).toBeLessThan(takeover);
  expect(totals.cutOff).toBeGreaterThan(0);
  expect(totals.duplicates).toBeLessThanOrEqual(kills * inFlight);
});

test("SIGTERM hands over, to and fro, and nothing is sent twice", async () => {
  const { totals, pause } = await load("/stopped", async ({ cluster, callers }) => {
    for (let turn = 0; turn < 4; turn += 1) {
      const leaver = (await cluster.owner())!;
      expect(await leaver.stop()).toBe(0);
      expect(await cluster.successorOf(leaver)).not.toBe(leaver);
      await callers.accept(50);
      await cluster.start(leaver);
    }
  });
  expect(pause).toBeLessThan(lease);
  expect(totals.duplicates).toBe(0);
});

test("a node that comes and goes takes nothing, and disturbs nobody", async () => {
  const { totals, pause } = await load("/flapping", async ({ cluster, callers }) => {
    const [first, second] = cluster.gateways;
    for (let turn = 0; turn < 5; turn += 1) {
      await second!.kill();
      await callers.accept(20);
      await cluster.start(second!);
      await callers.accept(20);
      expect(await cluster.owner()).toBe(first);
    }
  });
  expect(pause).toBeLessThan(lease);
  expect(totals.duplicates).toBe(0);
});

test("a second node of the same name ends, and the first goes on", async () => {
  const { totals, pause } = await load("/doubled", async ({ cluster, callers }) => {
    const double = await cluster.create("first");
    double.launch();
    expect(await double.exitCode()).toBe(1);
    expect(double.log).toContain("is at work");
    expect(double.simulator.all()).toEqual([]);
    await callers.accept(50);
  });
  expect(pause).toBeLessThan(lease);
  expect(totals.duplicates).toBe(0);
});
