// Messages that are sent without a break while something happens to the nodes of a cluster.
import { expect } from "vitest";
import { Callers } from "./callers.ts";
import { Cluster, type ClusterOptions, type Databases } from "./cluster.ts";
import type { LedgerTotals } from "./ledger.ts";
import type { Sink } from "./sink.ts";

export interface Load {
  cluster: Cluster;
  callers: Callers;
}

/** Calls `body` on a new cluster under load; afterwards nothing may be lost. */
export async function underLoad(
  { server, sink, path }: { server: Databases; sink: Sink; path: string },
  options: ClusterOptions,
  body: (load: Load) => Promise<void>,
): Promise<{ totals: LedgerTotals; pause: number }> {
  const cluster = await Cluster.open(server, { devices: 4, ...options });
  const callers = new Callers(cluster, sink.url(path));
  callers.start();
  await callers.accept(50);
  await body({ cluster, callers });
  await callers.accept(50);
  await callers.stop();
  const totals = await cluster.totals(callers, sink, path);
  expect(totals).toMatchObject({ lost: 0, callbacksLost: 0, waiting: 0, failed: 0, unexpected: 0 });
  expect(totals.sent).toBe(totals.accepted);
  await cluster.close();
  return { totals, pause: callers.longestPause() };
}
