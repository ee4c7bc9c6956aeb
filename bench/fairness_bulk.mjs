// Single sends of one account beside the bulks of another. Measures how long a send takes to be
// answered: undisturbed, and while the neighbour posts bulks without a pause.
import { setTimeout as pause } from "node:timers/promises";
import { Gateway } from "./fairness_gateway.mjs";
import { load } from "./load.mjs";
import { script } from "./merpati.mjs";

const PROBES = 1_000;
const PROBE_EVERY_MS = 5;
const SETTLE_MS = 500; // Until the neighbour's first bulks are under way.

/** The neighbours: how many messages each bulk has, and how many bulks wait for their answers. */
export const bulkRows = [
  { name: "another account's bulks of 1,000, 4 at once", each: 1_000, connections: 4 },
  { name: "another account's bulks of 100, 16 at once", each: 100, connections: 16 },
];

export async function measureBulk({ each, connections }, folder) {
  const gateway = await Gateway.start(folder, {});
  try {
    const undisturbed = await probe(gateway);
    const neighbour = startNeighbour(gateway, each, connections);
    await pause(SETTLE_MS);
    const beside = await probe(gateway);
    const { accepted, refused, seconds } = await neighbour;
    return { undisturbed, beside, neighbour: { perSecond: (accepted * each) / seconds, refused } };
  } finally {
    await gateway.kill();
  }
}

/** Sends every PROBE_EVERY_MS, whether or not the one before is answered. */
async function probe(gateway) {
  const times = [];
  const probes = [];
  for (let i = 0; i < PROBES; i += 1) {
    const began = performance.now();
    const answered = gateway.send(gateway.accounts.good, "");
    probes.push(answered.then(() => times.push(performance.now() - began)));
    await pause(PROBE_EVERY_MS);
  }
  await Promise.all(probes);
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { p50: at(0.5), p99: at(0.99), max: times.at(-1), lost: PROBES - times.length };
}

/** Posts bulks until the probes have ended. Their messages are due in five hours. */
function startNeighbour(gateway, each, connections) {
  const { key, devices } = gateway.accounts.bad;
  return load({
    url: gateway.url.replace("/v1/send", "/v1/messages/bulk"),
    script,
    connections,
    seconds: Math.ceil((SETTLE_MS + PROBES * PROBE_EVERY_MS * 1.5) / 1000),
    environment: {
      BENCH_KEY: key,
      BENCH_FROM: devices.join(" "),
      BENCH_EACH: `${each}`,
      BENCH_DELAY: "18000",
    },
  });
}
