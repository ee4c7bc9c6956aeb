// What a snapshot costs that somebody holds for a long time: the database then keeps all rows that
// were removed meanwhile, such as those of messages that were sent, and all versions of the balance
// of the account, which each commit writes. The rate while it is held is compared with those before
// and after it, in one gateway whose store grows all the time.
import { join } from "node:path";
import { load } from "./load.mjs";
import { script, startMerpati } from "./merpati.mjs";
import { nodeSettings, startPostgres } from "./postgres.mjs";
import { stop } from "./processes.mjs";
import { startSink } from "./sink.mjs";
import { grouped, table } from "./statistics.mjs";

export const TARGET = 0.8; // Of the rate without it.
const CONNECTIONS = 64;
const DEVICES = 16;
const CREDITS = "1000000000"; // Of the account.
const WINDOW_SECONDS = 20; // Of each rate.
const WARM_UP_SECONDS = 150; // An empty database is faster: it has nothing to write back yet.

export async function snapshot({ scratch, held }) {
  const sink = await startSink(scratch("sink"));
  const server = await startPostgres(scratch("postgres"));
  const folder = scratch("node");
  const side = await startMerpati({
    folder,
    devices: DEVICES,
    callback: sink.url,
    prepare: (command, account) => command("account", "topup", account, CREDITS),
    settings: nodeSettings(server, folder, join(folder, "merpati.key"), "node-1"),
  });
  const run = (seconds) => load({ ...side, script, connections: CONNECTIONS, seconds });
  /** Messages whose callbacks have arrived, a second. */
  const rate = async () => {
    const before = { callbacks: await sink.count(), at: performance.now() };
    await run(WINDOW_SECONDS);
    const seconds = (performance.now() - before.at) / 1000;
    return ((await sink.count()) - before.callbacks) / seconds;
  };
  await run(WARM_UP_SECONDS);
  const before = await rate();
  const release = await server.hold();
  if (held > 2 * WINDOW_SECONDS) await run(held - 2 * WINDOW_SECONDS);
  const during = await rate();
  const dead = "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'queue'";
  const kept = Number(server.sql(dead));
  await release();
  await run(WINDOW_SECONDS); // In which autovacuum removes what was kept.
  const after = await rate();
  await stop(...side.processes, server.process, sink.process);
  server.remove();
  return { held, before, during, after, kept, ratio: during / ((before + after) / 2) };
}

export function describeSnapshot({ held, before, during, after, kept, ratio }) {
  return [
    `nodes, snapshot: the cycle beside a snapshot that is held for ${held} s`,
    table([
      ["when", "messages a second"],
      ["before", grouped(before)],
      ["at its end", grouped(during)],
      ["after it", grouped(after)],
    ]),
    `  ${grouped(kept)} removed rows of the queue were kept at its end`,
    `  ratio ${ratio.toFixed(2)}, target at least ${TARGET}: ${ratio >= TARGET ? "met" : "MISSED"}`,
  ].join("\n");
}
