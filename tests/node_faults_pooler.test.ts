// Gateways behind a pooler in transaction mode, where each transaction may have another session of
// the database: they send, take over, and carry out commands, and a pooler that is killed costs
// nothing.
import { chmodSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop } from "./support/account.ts";
import { type ClusterOptions, takeover } from "./support/cluster.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { exchange } from "./support/http.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { Pooler, poolerMissing } from "./support/pooler.ts";
import { PostgresServer } from "./support/postgres.ts";
import { Sink } from "./support/sink.ts";
import { type Load, underLoad, underSharedLoad } from "./support/under_load.ts";

const window = 8; // Sends in flight for each device.
const devices = 4;

if (poolerMissing) console.warn(`skipped: ${poolerMissing}`);

describe.skipIf(poolerMissing)("behind a pooler", () => {
  let server: PostgresServer;
  let pooler: Pooler;
  let sink: Sink;

  beforeAll(async () => {
    [server, sink] = await Promise.all([PostgresServer.open(), Sink.open({ secure: false })]);
    pooler = await Pooler.open(server);
  });
  afterAll(async () => {
    await pooler.close();
    await sink.close();
    await server.close();
  });

  const load = (
    path: string,
    options: ClusterOptions,
    body: (load: Load) => Promise<void>,
  ) => {
    const sending = { "scheduler.window": window, "simulator.latency_ms": 10 };
    const settings = { ...sending, ...options.settings };
    return underLoad({ server: pooler, sink, path }, { ...options, devices, settings }, body);
  };

  test("control: what a session has prepared is missing in its next transaction", async () => {
    const [one, other] = [await pooler.connect(), await pooler.connect()];
    await one.run("PREPARE kept AS SELECT 7");
    expect(await one.run("EXECUTE kept")).toEqual(["7"]);
    await other.run("BEGIN"); // It has the server's session now.
    await expect(one.run("EXECUTE kept")).rejects.toThrow(/"kept" does not exist/);
    for (const session of [one, other]) session.close();
  });

  test("the pooler is killed and stopped, and started again", async () => {
    // Long enough for the node that works to keep its accounts.
    const options = { nodes: ["first"], settings: { "cluster.lease": "10s" } };
    const { totals } = await load("/restarted", options, async ({ cluster, callers }) => {
      const first = cluster.gateways[0]!;
      const { pid } = first;
      for (const signal of ["SIGKILL", "SIGINT", "SIGKILL"] as const) {
        await pooler.stop(signal);
        await pooler.start();
        await callers.accept(50);
      }
      const metrics = await exchange({ method: "GET", url: `${first.url}/metrics` });
      expect(metrics.text).toMatch(/merpati_store_reconnects_total [1-9]/);
      expect(await cluster.owner()).toBe(first);
      expect(first.pid).toBe(pid);
    });
    expect(totals.duplicates).toBe(0);
  });

  test("a node is stopped, and the next one killed", async () => {
    const { totals, pause } = await load("/followed", {}, async ({ cluster, callers }) => {
      const first = (await cluster.owner())!;
      expect(await first.stop()).toBe(0);
      const second = await cluster.successorOf(first);
      await callers.accept(50);
      await cluster.start(first);
      await second.kill();
      expect(await cluster.successorOf(second)).toBe(first);
    });
    expect(pause).toBeLessThan(takeover);
    expect(totals.duplicates).toBeLessThanOrEqual(window * devices);
  });

  test("nodes share the accounts, and one of them is killed", async () => {
    const nodes = ["node-1", "node-2"];
    const options = { nodes, settings: { "scheduler.window": window, "simulator.latency_ms": 10 } };
    const world = { server: pooler, sink, path: "/shared" };
    const totals = await underSharedLoad(world, options, async ({ cluster, callers, places }) => {
      const { gateway: victim, shop: theirs } = places[0]!;
      await victim.kill();
      expect(await cluster.successorOf(victim, theirs.account)).not.toBe(victim);
      for (const place of places) await callers.accept(50, place.shop);
      await cluster.start(victim);
      await cluster.share();
      for (const place of places) await callers.accept(50, place.shop);
    });
    expect(totals.duplicates).toBeLessThanOrEqual(window * devices);
  }, 120_000);

  test("commands work while the server runs and while it does not", async () => {
    const database = pooler.createDatabase();
    const gateway = await Gateway.create({ database, start: false });
    chmodSync(gateway.config, 0o600);
    expect(await gateway.json("migrate")).toMatchObject({ store: "up to date" });
    expect(await gateway.json("account", "list")).toEqual([]);
    await gateway.start();
    const { account, device } = await shop(gateway);
    const message = freshText();
    const body = { to: freshNumber(), from: device, message, Type: "text" };
    const id = expectAccepted(await account.send(body));
    expect((await gateway.simulator.attempt(message)).result).toBe("sent");
    expect(await gateway.json("message", "show", id)).toMatchObject({ id });
    expect(await gateway.json("doctor")).toMatchObject({ healthy: true });
    expect(await gateway.stop()).toBe(0);
    expect(await gateway.json("doctor")).toMatchObject({ healthy: true });
    expect(await gateway.json("message", "list")).toMatchObject([{ id, state: "sent" }]);
    const copy = pooler.createDatabase();
    const copied = await gateway.json("store", "copy", database.url, copy.url);
    expect(copied.complete).toBe(true);
    expect(await copy.query("SELECT count(*) FROM message")).toEqual(["1"]);
    await gateway.close();
  });
});
