// Messages that are sent without a break while something happens to the nodes of a cluster.
import { expect } from "vitest";
import { Callers, type CallersOptions } from "./callers.ts";
import { Cluster, type ClusterOptions, type Databases, type Shop } from "./cluster.ts";
import type { Gateway } from "./gateway.ts";
import type { LedgerTotals } from "./ledger.ts";
import type { Sink } from "./sink.ts";

export interface World {
  server: Databases;
  sink: Sink;
  path: string;
}

export interface Load {
  cluster: Cluster;
  callers: Callers;
}

/** Calls `body` on a new cluster under load; afterwards nothing may be lost. */
export async function underLoad(
  { server, sink, path }: World,
  options: ClusterOptions,
  body: (load: Load) => Promise<void>,
): Promise<{ totals: LedgerTotals; pause: number }> {
  const cluster = await Cluster.open(server, { devices: 4, ...options });
  const callers = new Callers(cluster, sink.url(path));
  const totals = await loaded({ cluster, callers }, { sink, path }, body);
  return { totals, pause: callers.longestPause() };
}

/** A node that works for the account of a shop. */
export interface Place {
  gateway: Gateway;
  shop: Shop;
}

export interface SharedLoad extends Load {
  places: Place[]; // One at each node, in their order.
}

export type SharedOptions = ClusterOptions & Pick<CallersOptions, "patience">;

/** The same on nodes that share the work. Each works for an account with so many `devices`. */
export async function underSharedLoad(
  { server, sink, path }: World,
  { patience, devices = 2, ...options }: SharedOptions,
  body: (load: SharedLoad) => Promise<void>,
): Promise<LedgerTotals> {
  const nodes = ["node-1", "node-2", "node-3"];
  const cluster = await Cluster.share(server, { nodes, ...options });
  const places: Place[] = [];
  for (const gateway of cluster.gateways) {
    places.push({ gateway, shop: await cluster.shopAt(gateway, { devices }) });
  }
  const callers = new Callers(cluster, sink.url(path), {
    shops: places.map(({ shop }) => shop),
    patience,
  });
  return loaded({ cluster, callers }, { sink, path }, () => body({ cluster, callers, places }));
}

async function loaded(
  { cluster, callers }: Load,
  { sink, path }: { sink: Sink; path: string },
  body: (load: Load) => Promise<void>,
): Promise<LedgerTotals> {
  callers.start();
  await callers.accept(50);
  await body({ cluster, callers });
  await callers.accept(50);
  await callers.stop();
  const totals = await cluster.totals(callers, sink, path);
  expect(totals).toMatchObject({ lost: 0, callbacksLost: 0, waiting: 0, failed: 0, unexpected: 0 });
  expect(totals.sent).toBe(totals.accepted);
  await cluster.close();
  return totals;
}
