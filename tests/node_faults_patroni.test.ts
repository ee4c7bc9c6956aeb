// A cluster of three servers of PostgreSQL in synchronous mode, whose primary is lost while
// messages are sent: nothing that was acknowledged is lost, and all goes on by itself.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Callers } from "./support/callers.ts";
import { Cluster } from "./support/cluster.ts";
import { expectAccepted } from "./support/expect.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { PatroniCluster, patroniMissing } from "./support/patroni.ts";
import { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

const window = 8; // Sends in flight for each device.
const devices = 4;
const settings = { "scheduler.window": window, "simulator.latency_ms": 10 };
const promised = 30_000; // Milliseconds until messages are accepted again.

if (patroniMissing) console.warn(`skipped: ${patroniMissing}`);

describe.skipIf(patroniMissing)("with Patroni", () => {
  let servers: PatroniCluster;
  let sink: Sink;

  beforeAll(async () => {
    [servers, sink] = await Promise.all([PatroniCluster.open(), Sink.open({ secure: false })]);
  }, 90_000);
  afterAll(async () => {
    await sink.close();
    await servers.close();
  });

  test("the loss of the primary loses nothing that was acknowledged", async () => {
    const cluster = await Cluster.open(servers, { devices, settings });
    const callers = new Callers(cluster, sink.url("/lost"));
    callers.start();
    await callers.accept(200);
    const gone = servers.primary;
    await gone.kill();
    await servers.untilOneLeads();
    expect(servers.primary).not.toBe(gone);
    await callers.accept(200);
    await callers.stop();
    const totals = await cluster.totals(callers, sink, "/lost");
    const none = { lost: 0, callbacksLost: 0, waiting: 0, failed: 0, unexpected: 0 };
    expect(totals).toMatchObject(none);
    expect(totals.sent).toBe(totals.accepted);
    expect(totals.duplicates).toBeLessThanOrEqual(window * devices);
    expect(callers.longestPause()).toBeLessThan(promised);
    await cluster.close();
  }, 120_000);

  test("control: a primary that does not wait for its standby loses messages", async () => {
    const cluster = await Cluster.open(servers, { nodes: ["first"], settings });
    const first = cluster.gateways[0]!;
    const standby = await servers.untilSynchronous();
    const [name] = await cluster.database.query("SELECT current_database()");
    await cluster.database.query(`ALTER DATABASE ${name} SET synchronous_commit = local`);
    expect(await first.stop()).toBe(0);
    await first.start(); // Settings hold for connections that are opened from now on.

    await standby.killPatroni();
    const other = await standby.connect();
    await other.run("ALTER SYSTEM SET primary_conninfo = ''");
    await other.run("SELECT pg_reload_conf()");
    await waitFor("the standby to be cut off", async () => {
      const [receivers] = await other.run("SELECT count(*) FROM pg_stat_wal_receiver");
      return receivers === "0";
    });
    const account = cluster.accountAt(first);
    const accepted: string[] = [];
    for (let count = 0; count < 20; count += 1) {
      const body = { to: freshNumber(), from: cluster.devices[0], message: freshText(), delay: 60 };
      accepted.push(expectAccepted(await account.send({ ...body, Type: "text" })));
    }
    await servers.primary.kill();
    await first.abandon();
    expect(await other.run("SELECT pg_promote()")).toEqual(["t"]);
    other.close();
    servers.primary = standby;
    const stored = await cluster.database.query("SELECT id FROM message");
    expect(accepted.filter((id) => !stored.includes(id))).toHaveLength(accepted.length);
  }, 120_000);
});
