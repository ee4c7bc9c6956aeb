// Two nodes that share a database and the accounts, each of which one of them works for.
import { join } from "node:path";
import { startMerpati } from "./merpati.mjs";
import { nodeSettings, startPostgres } from "./postgres.mjs";
import { freePort, stop, until } from "./processes.mjs";

const DEVICES = 16; // Of each account.
const ACCOUNTS = 16; // Enough that each node works for one; a shard's number is an account's here.
const PROBATION_MS = 60_000; // A node that joins others waits for so long until it gets its part.

/**
 * Resolves with {server, processes, nodes, stop}: each of `nodes` is {url, environment}, of an
 * account that it works for. `together`: false for one node, which works for both accounts.
 */
export async function startPair({ scratch, together = true }) {
  const server = await startPostgres(scratch("postgres"));
  const folder = scratch("node-1");
  const key = join(folder, "merpati.key");
  const listens = { "cluster.listen": "127.0.0.1:0" };
  const accounts = [];
  const first = await startMerpati({
    folder,
    devices: 1,
    settings: { ...nodeSettings(server, folder, key, "node-1"), ...listens },
    prepare: (command) => {
      while (accounts.length < (together ? ACCOUNTS : 2)) accounts.push(addAccount(command));
    },
  });
  const nodes = [{ name: "node-1", url: first.url, process: first.processes[0] }];
  if (together) {
    nodes.push(await startSecond({ first, server, key, folder: scratch("node-2"), listens }));
    await share(server, nodes);
  }
  const works = "SELECT n.name FROM shard s JOIN node n ON n.id = s.node WHERE s.id = ";
  const nodeOf = ({ shard }) => server.sql(`${works}${shard}`);
  const shops = together
    ? nodes.map((node) => ({ ...node, ...accounts.find((one) => nodeOf(one) === node.name) }))
    : accounts.map((account) => ({ ...nodes[0], ...account }));
  const processes = nodes.map((node) => node.process);
  return {
    server,
    processes: [server.process, ...processes],
    nodes: shops,
    stop: async () => {
      await stop(...processes, server.process);
      server.remove();
    },
  };
}

function addAccount(command) {
  const { id } = command("account", "create", "bench", "--rate", "none");
  const { key } = command("key", "create", id);
  const shard = Number(id.replace("acc_", ""));
  const first = 6281200000000 + shard * 1000;
  const numbers = Array.from({ length: DEVICES }, (_, index) => `${first + index}`);
  numbers.forEach((number) => command("device", "add", id, number));
  const environment = { BENCH_KEY: key, BENCH_FROM: numbers.join(" "), BENCH_CALLBACK: "" };
  return { shard, environment };
}

async function startSecond({ first, server, key, folder, listens }) {
  const address = `127.0.0.1:${await freePort()}`;
  const own = { ...nodeSettings(server, folder, key, "node-2"), ...listens };
  const child = first.launch({ ...own, "http.listen": address }, folder);
  const ready = () => fetch(`http://${address}/readyz`).then((answer) => answer.ok, () => false);
  await until("the second node", ready, { child });
  return { name: "node-2", url: `http://${address}/v1/send`, process: child };
}

/** Waits until both have their parts. The database is told that they joined long ago. */
async function share(server, nodes) {
  server.sql(`UPDATE node SET joined_at = joined_at - ${PROBATION_MS} WHERE state = 'live'`);
  const owners = "SELECT count(DISTINCT node), count(*) FILTER (WHERE node IS NULL) FROM shard";
  await until("both to work", () => server.sql(owners) === `${nodes.length}|0`, {
    child: nodes[1].process,
  });
}
