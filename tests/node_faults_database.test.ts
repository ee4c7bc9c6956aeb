// What happens between a node and its database while messages are sent: the server is killed, ends
// connections, has none left, or the network cuts them in the middle of a commit. Nothing that was
// acknowledged is lost, nothing is sent twice, and all goes on by itself in the same process.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster, type ClusterOptions } from "./support/cluster.ts";
import { Cuttable } from "./support/cuttable.ts";
import type { DatabaseSession } from "./support/database_session.ts";
import { expectAccepted, expectRefused, rows } from "./support/expect.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { PostgresServer } from "./support/postgres.ts";
import { Sink } from "./support/sink.ts";
import { type Load, underLoad } from "./support/under_load.ts";
import { waitFor } from "./support/wait.ts";

let server: PostgresServer;
let sink: Sink;

beforeAll(async () => {
  [server, sink] = await Promise.all([PostgresServer.open(), Sink.open({ secure: false })]);
});
afterAll(async () => {
  await sink.close();
  await server.close();
});

// Long enough for a database that is started again: the node that works keeps its accounts.
const settings = { "cluster.lease": "10s", "simulator.latency_ms": 10 };

/** As `underLoad`; afterwards nothing may be sent twice, and the same process works. */
async function undisturbed(
  path: string,
  options: ClusterOptions,
  body: (load: Load) => Promise<void>,
): Promise<void> {
  const world = { server, sink, path };
  const { totals } = await underLoad(world, { ...options, settings }, async (load) => {
    const first = load.cluster.gateways[0]!;
    const { pid } = first;
    await body(load);
    await load.callers.accept(50);
    expect(await load.cluster.owner()).toBe(first);
    expect(first.pid).toBe(pid);
  });
  expect(totals.duplicates).toBe(0);
}

test("the database is killed twice, and started again", async () => {
  await undisturbed("/killed", {}, async ({ cluster, callers }) => {
    const first = cluster.gateways[0]!;
    for (let kill = 0; kill < 2; kill += 1) {
      await server.stop("immediately");
      await waitFor("the node to notice", async () => !(await first.isReady()));
      await server.start();
      await callers.accept(50);
      await waitFor("readiness", () => first.isReady());
    }
  });
});

test("control: a database that acknowledges too early loses messages in such a kill", async () => {
  const cluster = await Cluster.open(server, { nodes: ["first"], settings });
  const first = cluster.gateways[0]!;
  const account = cluster.accountAt(first);
  // The gateway would refuse a database whose settings say so.
  await cluster.database.query(
    "CREATE FUNCTION be_hasty() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " +
      "PERFORM set_config('synchronous_commit', 'off', true); RETURN NULL; END $$",
  );
  for (const table of ["message", "node_heartbeat"]) {
    await cluster.database.query(
      `CREATE TRIGGER be_hasty AFTER INSERT OR UPDATE ON ${table} EXECUTE FUNCTION be_hasty()`,
    );
  }
  await cluster.database.query("ALTER SYSTEM SET wal_writer_delay = '10s'");
  await cluster.database.query("SELECT pg_reload_conf()");
  const accepted: string[] = [];
  for (let count = 0; count < 40; count += 1) {
    const body = { to: freshNumber(), from: cluster.devices[0], message: freshText(), delay: 60 };
    const reply = await account.send({ ...body, Type: "text" });
    if (reply.status === 200) accepted.push(expectAccepted(reply));
  }
  await server.stop("immediately");
  await first.abandon();
  await server.start();
  const stored = await cluster.database.query("SELECT id FROM message");
  expect(accepted.length).toBeGreaterThan(20);
  expect(stored.length).toBeLessThan(accepted.length);
  await cluster.database.query("ALTER SYSTEM RESET wal_writer_delay");
  await cluster.database.query("SELECT pg_reload_conf()");
});

/** Ends the gateways' connections to the session's database; they are gone when it resolves. */
async function endConnections(session: DatabaseSession): Promise<void> {
  await session.run(
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity " +
      "WHERE datname = current_database() AND application_name = 'merpati'",
  );
}

test("a database that would acknowledge too early is waited for", async () => {
  await undisturbed("/hasty", { nodes: ["first"] }, async ({ cluster, callers }) => {
    const first = cluster.gateways[0]!;
    const session = await cluster.database.connect();
    const [name] = await session.run("SELECT current_database()");
    await session.run(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    await endConnections(session);
    await waitFor("the node to notice", async () => !(await first.isReady()));
    await waitFor("the reason", () => first.log.includes("may lose what it acknowledges"));
    await session.run(`ALTER DATABASE ${name} RESET synchronous_commit`);
    await callers.accept(50);
    await waitFor("readiness", () => first.isReady());
    session.close();
  });
});

test("the database ends all connections, again and again", async () => {
  await undisturbed("/ended", {}, async ({ cluster, callers }) => {
    const session = await cluster.database.connect();
    for (let turn = 0; turn < 15; turn += 1) {
      await endConnections(session);
      await callers.accept(5);
    }
    session.close();
  });
});

test.each(["before", "after"] as const)(
  "the network cuts the connection %s the database gets a commit, again and again",
  async (place) => {
    const network = await Cuttable.open(server.socket);
    const nodes = ["first"];
    await undisturbed(`/cut-${place}`, { nodes, port: network.port }, async ({ callers }) => {
      let commits = 0;
      let cuts = 0;
      network.rule = (piece) => {
        if (!piece.includes("COMMIT\0")) return undefined;
        commits += 1;
        if (commits % 9 !== 0) return undefined;
        cuts += 1;
        return place;
      };
      while (cuts < 10) await callers.accept(5);
      network.rule = () => undefined;
    });
    await network.close();
  },
);

// Ten minutes, 600, are the long form of the next test.
const snapshotSeconds = Number(process.env["MERPATI_TEST_SNAPSHOT_SECONDS"] ?? 3);

test(
  "somebody keeps a snapshot: messages flow, and what it kept is removed afterwards",
  async () => {
    await undisturbed("/snapshot", { nodes: ["first"] }, async ({ cluster, callers }) => {
      await cluster.database.query("CREATE EXTENSION pgstattuple");
      const portion = async () => {
        const began = performance.now();
        await callers.accept(200);
        return Math.round(performance.now() - began);
      };
      const before = await portion();
      const session = await cluster.database.connect();
      await session.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
      const [seen] = await session.run("SELECT count(*) FROM message");
      const during: number[] = [];
      const end = performance.now() + snapshotSeconds * 1_000;
      while (performance.now() < end) during.push(await portion());
      expect(await session.run("SELECT count(*) FROM message")).toEqual([seen]);
      const kept = await deadRows(cluster);
      await session.run("COMMIT");
      session.close();
      const left = await deadRows(cluster);
      const after = await portion();
      const slowest = Math.max(...during);
      console.log(`snapshot: ${JSON.stringify({ before, slowest, after, kept, left })}`);
      expect(kept).toBeGreaterThan(during.length * 100);
      expect(left).toBeLessThan(kept / 4);
      for (const time of [slowest, after]) expect(time).toBeLessThan(4 * before + 2_000);
    });
  },
  60_000 + snapshotSeconds * 2_000,
);

/** How many rows of the queue PostgreSQL cannot remove yet. */
async function deadRows(cluster: Cluster): Promise<number> {
  await cluster.database.query("VACUUM queue");
  const [count] = await cluster.database.query("SELECT dead_tuple_count FROM pgstattuple('queue')");
  return Number(count);
}

test("the database has no connection left, and then some again", async () => {
  const small = await PostgresServer.open({ connectionsMax: 20 });
  const cluster = await Cluster.open(small, { nodes: ["first"], settings });
  const first = cluster.gateways[0]!;
  const account = cluster.accountAt(first);
  const send = (message: string) =>
    account.send({ to: freshNumber(), from: cluster.devices[0], message, Type: "text" });
  const session = await cluster.database.connect();
  const taken: DatabaseSession[] = [];
  // The gateway may be the first to take a connection that has become free.
  const refused = await waitFor("a refusal", async () => {
    await endConnections(session);
    taken.push(...(await allConnections(cluster)));
    const reply = await send(freshText());
    return reply.status === 200 ? undefined : reply;
  });
  expectRefused(refused, rows.storageUnavailable);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  await waitFor("the node to notice", async () => !(await first.isReady()));
  for (const one of taken) one.close();
  session.close();
  const text = await waitFor("an accepted message", async () => {
    const next = freshText();
    return (await send(next)).status === 200 ? next : undefined;
  });
  expect((await first.simulator.attempt(text)).result).toBe("sent");
  await cluster.close();
  await small.close();
});

/** Opens connections until the server has none for anybody. */
async function allConnections(cluster: Cluster): Promise<DatabaseSession[]> {
  const opened: DatabaseSession[] = [];
  for (;;) {
    try {
      opened.push(await cluster.database.connect());
    } catch (error) {
      if (!/too many clients|remaining connection slots/.test(String(error))) throw error;
      return opened;
    }
  }
}
