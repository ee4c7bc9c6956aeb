// A node that was frozen or cut off for longer than its lease, while it had messages to send and a
// request in progress: it writes nothing and sends nothing more, and ends. As a control each case
// is repeated with the node's generation restored in the database, so that nothing refuses it: then
// it sends again what another node has sent.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Reply } from "./support/account.ts";
import { Cluster, takeover } from "./support/cluster.ts";
import { Cuttable } from "./support/cuttable.ts";
import { expectAccepted } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { PostgresServer } from "./support/postgres.ts";
import { waitFor } from "./support/wait.ts";

const deposed = 75; // The exit code.
const window = 8; // Sends in flight.
const messages = 40;
// Seconds until they are due: as long as a message waits in memory, and not so long that they are
// sent before the fault.
const delay = 2;

let server: PostgresServer;
beforeAll(async () => void (server = await PostgresServer.open()));
afterAll(() => server.close());

interface Fault {
  how: string;
  begin(node: Gateway, network: Cuttable): void;
  end(node: Gateway, network: Cuttable): void;
}

const faults: Fault[] = [
  {
    how: "frozen",
    begin: (node) => process.kill(node.pid, "SIGSTOP"),
    end: (node) => process.kill(node.pid, "SIGCONT"),
  },
  {
    how: "cut off from its database",
    begin: (_, network) => network.cut(),
    end: (_, network) => network.mend(),
  },
  {
    how: "cut off without notice",
    begin: (_, network) => network.silence(),
    end: (_, network) => network.mend(),
  },
];

interface World {
  cluster: Cluster;
  first: Gateway;
  body: () => { message: string };
  sentBefore: number; // By the first node, in its lease.
  stale: Promise<Reply | undefined>; // Asked of it since; undefined: there was no answer.
}

/** Calls `check` when another node has taken over and sent what the first one had to send. */
async function afterTakeover(
  fault: Fault,
  check: (world: World, endFault: () => void) => Promise<void>,
): Promise<void> {
  const network = await Cuttable.open(server.socket);
  const settings = { "scheduler.window": window };
  const cluster = await Cluster.open(server, { port: network.port, settings });
  const [first, second] = cluster.gateways as [Gateway, Gateway];
  const account = cluster.accountAt(first);
  const body = () => {
    return { to: freshNumber(), from: cluster.devices[0], message: freshText(), Type: "text" };
  };
  try {
    const waiting = Array.from({ length: messages }, () => ({ ...body(), delay }));
    const accepted = await Promise.all(waiting.map((one) => account.send(one)));
    fault.begin(first, network);
    const began = performance.now();
    for (const reply of accepted) expectAccepted(reply);
    const stale = account.send(body()).catch(() => undefined);
    expect(await cluster.successorOf(first)).toBe(second);
    expect(performance.now() - began).toBeLessThan(takeover);
    await waitFor("the messages", () => {
      const sent = new Set(cluster.attempts().map((attempt) => attempt.body));
      return waiting.every(({ message }) => sent.has(message));
    });
    const sentBefore = first.simulator.all().length;
    expect(sentBefore).toBeLessThanOrEqual(window);
    const world = { cluster, first, body, sentBefore, stale };
    await check(world, () => fault.end(first, network));
  } finally {
    await Promise.all(cluster.gateways.map((gateway) => gateway.abandon()));
    await network.close();
  }
}

test.concurrent.each(faults)("a node that was $how sends and writes nothing more", (fault) =>
  afterTakeover(fault, async ({ cluster, first, body, sentBefore, stale }, endFault) => {
    endFault();
    expect(await first.exitCode()).toBe(deposed);
    expect(first.log).toContain("another node has taken over");
    expect(first.simulator.all()).toHaveLength(sentBefore);
    expect((await stale)?.status).not.toBe(200);
    const owner = (await cluster.owner())!;
    expect(await owner.json("message", "list")).toHaveLength(messages);
    const next = body();
    expectAccepted(await cluster.accountAt(owner).send(next));
    expect((await owner.simulator.attempt(next.message)).result).toBe("sent");
  }),
);

test.concurrent.each(faults)("control: without its fence a node that was $how sends", (fault) =>
  afterTakeover(fault, async ({ cluster, first }, endFault) => {
    await restoreGeneration(cluster);
    endFault();
    const hasSentAll = () => first.simulator.all().length >= messages;
    await waitFor("the first node to send what another has sent", hasSentAll, 30_000);
  }),
);

/** Undoes in the database what deposing the first node has done to its row. */
async function restoreGeneration(cluster: Cluster): Promise<void> {
  await cluster.database.query(
    "WITH restored AS (UPDATE node SET generation = generation - 1, state = 'live' " +
      "WHERE name = 'first' RETURNING id) UPDATE node_heartbeat SET seen_at = " +
      "(extract(epoch FROM clock_timestamp()) * 1000)::bigint " +
      "WHERE node IN (SELECT id FROM restored)",
  );
}
