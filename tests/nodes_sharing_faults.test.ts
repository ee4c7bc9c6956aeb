// Three nodes that share the accounts of a database, one of which is killed, stopped, frozen or cut
// off while messages are sent: nothing that was acknowledged is lost, no more is sent twice than
// was in flight, and the accounts of the others are served as before.
import { afterAll, beforeAll, expect, test } from "vitest";
import { lease, servedBy, takeover } from "./support/cluster.ts";
import { Cuttable } from "./support/cuttable.ts";
import { expectRefused, rows } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { PostgresServer } from "./support/postgres.ts";
import { Sink } from "./support/sink.ts";
import { type SharedLoad, type SharedOptions, underSharedLoad } from "./support/under_load.ts";
import { waitFor } from "./support/wait.ts";

const deposed = 75; // The exit code.
const window = 8; // Sends in flight for each device.
const devices = 2; // Of each account.
const inFlight = window * devices; // Of an account.
const patience = 20_000; // Longer than a node keeps a request waiting.
const long = 180_000;
const settings = { "scheduler.window": window, "simulator.latency_ms": 10 };

let server: PostgresServer;
let sink: Sink;

beforeAll(async () => {
  [server, sink] = await Promise.all([PostgresServer.open(), Sink.open({ secure: false })]);
});
afterAll(async () => {
  await sink.close();
  await server.close();
});

const load = (
  path: string,
  options: SharedOptions,
  body: (load: SharedLoad) => Promise<void>,
) => {
  const all = { ...options, devices, settings: { ...settings, ...options.settings } };
  return underSharedLoad({ server, sink, path }, all, body);
};

/** Waits until messages of every account are accepted, and says how long each had to wait. */
async function allServed({ callers, places }: SharedLoad): Promise<number[]> {
  for (const { shop } of places) await callers.accept(20, shop);
  const pauses = places.map(({ shop }) => Math.round(callers.longestPause(shop)));
  console.log(`longest pause of each account: ${pauses.join(", ")} ms`);
  return pauses;
}

/** The nodes but one. */
const without = ({ cluster }: SharedLoad, node: Gateway) =>
  cluster.gateways.filter((gateway) => gateway !== node);

test("kill -9 of each in turn", async () => {
  const kills = 3;
  const totals = await load("/killed", {}, async (under) => {
    const { cluster, places } = under;
    for (const { gateway: victim, shop } of places) {
      await victim.kill();
      expect(await cluster.successorOf(victim, shop.account)).not.toBe(victim);
      const pauses = await allServed(under);
      expect(Math.max(...pauses)).toBeLessThan(takeover);
      await cluster.start(victim);
      await cluster.share();
    }
  });
  expect(totals.cutOff).toBeGreaterThan(0);
  expect(totals.duplicates).toBeLessThanOrEqual(kills * inFlight * 3);
}, long);

test("SIGTERM of each in turn: no request is refused, and nothing is sent twice", async () => {
  const totals = await load("/stopped", { patience }, async (under) => {
    const { cluster, callers, places } = under;
    for (const { gateway: leaver, shop } of places) {
      callers.ways = without(under, leaver);
      await allServed(under); // So no request is on its way to addresses that close.
      expect(await leaver.stop()).toBe(0);
      expect(await cluster.successorOf(leaver, shop.account)).not.toBe(leaver);
      expect(Math.max(...(await allServed(under)))).toBeLessThan(lease);
      await cluster.start(leaver);
      callers.ways = cluster.gateways;
      await cluster.share();
      await allServed(under);
    }
    expect([...callers.refused]).toEqual([]);
  });
  expect(totals.cutOff).toBe(0);
  expect(totals.duplicates).toBe(0);
}, long);

test("a frozen one: its accounts wait for its lease, those of the others do not", async () => {
  const totals = await load("/frozen", {}, async (under) => {
    const { cluster, callers, places } = under;
    const { gateway: frozen, shop } = places[0]!;
    callers.ways = without(under, frozen);
    await allServed(under); // Nobody waits for an answer of its own any more.
    process.kill(frozen.pid, "SIGSTOP");
    expect(await cluster.successorOf(frozen, shop.account)).not.toBe(frozen);
    const [waited] = await allServed(under);
    expect(waited).toBeLessThan(takeover);
    expect(waited).toBeGreaterThan(lease / 2); // Else what follows says nothing.
    for (const { shop: other } of places.slice(1)) {
      expect(callers.longestPause(other)).toBeLessThan(lease / 2);
      expect(callers.slowest(other)).toBeLessThan(lease / 2);
    }
    process.kill(frozen.pid, "SIGCONT");
    expect(await frozen.exitCode()).toBe(deposed);
    await cluster.start(frozen);
  });
  expect(totals.duplicates).toBeLessThanOrEqual(inFlight);
}, long);

test("one that is cut off from the database passes on to the others what is theirs", async () => {
  const network = await Cuttable.open(server.socket);
  const totals = await load("/cut", { port: network.port }, async (under) => {
    const { cluster, places } = under;
    const { gateway: victim, shop } = places[0]!;
    network.cut();
    for (const { shop: theirs } of places.slice(1)) {
      const { account } = theirs;
      // Refused, because the ledger knows only what the callers send.
      const body = { to: freshNumber(), from: freshNumber(), message: freshText(), Type: "text" };
      expectRefused(await servedBy(victim, account).send(body), rows.sender);
    }
    expect(await cluster.successorOf(victim, shop.account)).not.toBe(victim);
    expect(Math.max(...(await allServed(under)))).toBeLessThan(takeover);
    network.mend();
    expect(await victim.exitCode()).toBe(deposed);
    await cluster.start(victim);
  });
  expect(totals.duplicates).toBeLessThanOrEqual(inFlight);
  await network.close();
}, long);

test("one that is killed again and again takes nothing, and moves nothing", async () => {
  const totals = await load("/flapping", {}, async (under) => {
    const { cluster, places } = under;
    const flapping = places[2]!.gateway;
    await flapping.kill();
    await allServed(under);
    const others = await waitFor("the other two to have all", async () => {
      const shards = await cluster.shards();
      return shards.has(flapping) ? undefined : shards;
    });
    for (let turn = 0; turn < 4; turn += 1) {
      await cluster.start(flapping);
      await allServed(under);
      expect(await cluster.shards()).toEqual(others);
      await flapping.kill();
    }
    await cluster.start(flapping);
  });
  expect(totals.duplicates).toBeLessThanOrEqual(inFlight);
}, long);

test("all three are killed at once, and start again", async () => {
  const totals = await load("/all", {}, async (under) => {
    const { gateways } = under.cluster;
    await Promise.all(gateways.map((gateway) => gateway.kill()));
    await Promise.all(gateways.map((gateway) => under.cluster.start(gateway)));
    await allServed(under);
  });
  expect(totals.duplicates).toBeLessThanOrEqual(3 * inFlight);
}, long);

test("the database is killed: all go on with what they had, and send nothing twice", async () => {
  // Long enough for a database that is started again.
  const options = { settings: { "cluster.lease": "10s" } };
  const totals = await load("/database", options, async (under) => {
    const { cluster, places } = under;
    const pids = cluster.gateways.map(({ pid }) => pid);
    await server.stop("immediately");
    const noticed = places.map(({ gateway }) =>
      waitFor("the node to notice", async () => !(await gateway.isReady())),
    );
    await Promise.all(noticed);
    await server.start();
    await allServed(under);
    for (const { gateway, shop } of places) {
      await waitFor("readiness", () => gateway.isReady());
      expect(await cluster.ownerOf(shop.account)).toBe(gateway);
    }
    expect(cluster.gateways.map(({ pid }) => pid)).toEqual(pids);
  });
  expect(totals.duplicates).toBe(0);
}, long);
