// A node that shares accounts, and was frozen for longer than its lease while it had messages to
// send: another one has sent them, and it sends nothing more. As a control its generation and its
// accounts are restored in the database, so that nothing refuses it: then it sends all again.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster } from "./support/cluster.ts";
import { expectAccepted } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { PostgresServer } from "./support/postgres.ts";
import { waitFor } from "./support/wait.ts";

const deposed = 75; // The exit code.
const window = 8; // Sends in flight for each device.
const long = 120_000;
const settings = { "scheduler.window": window, "simulator.latency_ms": 10 };
const messages = 40;
// Seconds until they are due: as long as a message waits in memory, and not so long that they are
// sent before the fault.
const delay = 2;

let server: PostgresServer;
beforeAll(async () => void (server = await PostgresServer.open()));
afterAll(() => server.close());

/** Calls `check` when another node has sent what the frozen one had to send. */
async function afterTakeover(
  check: (world: { cluster: Cluster; frozen: Gateway; shards: string[] }) => Promise<void>,
): Promise<void> {
  const cluster = await Cluster.share(server, { settings });
  const [frozen] = cluster.gateways as [Gateway];
  const { account, devices: numbers } = await cluster.shopAt(frozen);
  const body = () => {
    return { to: freshNumber(), from: numbers[0], message: freshText(), Type: "text", delay };
  };
  const shards = await cluster.database.query(
    "SELECT s.id FROM shard s JOIN node n ON n.id = s.node WHERE n.name = 'first'",
  );
  try {
    const waiting = Array.from({ length: messages }, body);
    const accepted = await Promise.all(waiting.map((one) => account.send(one)));
    process.kill(frozen.pid, "SIGSTOP");
    for (const reply of accepted) expectAccepted(reply);
    expect(await cluster.successorOf(frozen, account)).not.toBe(frozen);
    await waitFor("the messages", () => {
      const sent = new Set(cluster.attempts().map((attempt) => attempt.body));
      return waiting.every(({ message }) => sent.has(message));
    });
    expect(frozen.simulator.all().length).toBeLessThanOrEqual(window);
    await check({ cluster, frozen, shards });
  } finally {
    await Promise.all(cluster.gateways.map((gateway) => gateway.abandon()));
  }
}

test("a node that was frozen with messages to send sends nothing more", () =>
  afterTakeover(async ({ frozen }) => {
    const before = frozen.simulator.all().length;
    process.kill(frozen.pid, "SIGCONT");
    expect(await frozen.exitCode()).toBe(deposed);
    expect(frozen.simulator.all()).toHaveLength(before);
  }), long);

test("control: it sends all of them again if the database does not refuse it", () =>
  afterTakeover(async ({ cluster, frozen, shards }) => {
    await restore(cluster, shards);
    process.kill(frozen.pid, "SIGCONT");
    const hasSentAll = () => frozen.simulator.all().length >= messages;
    await waitFor("what another node has sent", hasSentAll, 30_000);
  }), long);

/** Undoes in the database what deposing the first node, and following it, have done. */
async function restore(cluster: Cluster, shards: string[]): Promise<void> {
  await cluster.database.query(
    "WITH restored AS (UPDATE node SET generation = generation - 1, state = 'live' " +
      "WHERE name = 'first' RETURNING id), renewed AS (UPDATE node_heartbeat SET seen_at = " +
      "(extract(epoch FROM clock_timestamp()) * 1000)::bigint " +
      "WHERE node IN (SELECT id FROM restored)) " +
      "UPDATE shard SET node = (SELECT id FROM restored), generation = generation + 1 " +
      `WHERE id IN (${shards.join(",")})`,
  );
}
