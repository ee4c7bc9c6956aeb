// A database in place of a file: what a message costs in both, what the lock of a node's row, a
// request that is passed on and a held snapshot cost, what two nodes accept, and how long nobody
// works for an account when its node has died.
//
// BENCH_ROW: only the part of this name: cycle, fence, forwarding, accepts, snapshot or takeover.
// The sizes are variables of the environment too; main.mjs lists them.
import { acceptsOfTwo, describeAcceptsOfTwo } from "./nodes_accepts.mjs";
import { cycleInDatabase, describeCycleInDatabase } from "./nodes_cycle.mjs";
import { describeFence, fence } from "./nodes_fence.mjs";
import { describeForwarding, forwarding } from "./nodes_forwarding.mjs";
import { describeSnapshot, snapshot } from "./nodes_snapshot.mjs";
import { describeTakeover, takeover } from "./nodes_takeover.mjs";

const number = (name, usual) => Number(process.env[name] ?? usual);
const SNAPSHOT_SECONDS = number("BENCH_SNAPSHOT_SECONDS", 600);
const DEVICES = number("BENCH_TAKEOVER_DEVICES", 1_000);
const MESSAGES = number("BENCH_TAKEOVER_MESSAGES", 1_000_000);

const parts = {
  cycle: [cycleInDatabase, describeCycleInDatabase],
  fence: [fence, describeFence],
  forwarding: [forwarding, describeForwarding],
  accepts: [acceptsOfTwo, describeAcceptsOfTwo],
  snapshot: [(all) => snapshot({ ...all, held: SNAPSHOT_SECONDS }), describeSnapshot],
  takeover: [
    (all) => takeover({ ...all, devices: DEVICES, messages: MESSAGES }),
    describeTakeover,
  ],
};

export async function nodes(options) {
  const results = {};
  for (const [name, [measure]] of Object.entries(parts)) {
    if (name !== (process.env.BENCH_ROW ?? name)) continue;
    results[name] = await measure(options);
  }
  return results;
}

export function describeNodes(results) {
  return Object.entries(results)
    .map(([name, result]) => parts[name][1](result))
    .join("\n\n");
}
