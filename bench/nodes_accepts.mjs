// What two nodes accept together, each for its own account, and what one accepts for both, on the
// same processors. The messages are due in five hours.
import { load } from "./load.mjs";
import { script } from "./merpati.mjs";
import { startPair } from "./node_pair.mjs";
import { median, spread, table } from "./statistics.mjs";

const TARGET = 1; // Times what one node accepts.
const CONNECTIONS = 32; // Of each account's caller.
const DELAY_SECONDS = "18000";

export async function acceptsOfTwo({ scratch, seconds, repetitions }) {
  const rates = { one: [], two: [] };
  for (let round = 0; round < repetitions; round += 1) {
    for (const [name, side] of Object.entries(rates)) {
      const pair = await startPair({ scratch, together: name === "two" });
      side.push(await measure(pair.nodes, seconds));
      await pair.stop();
    }
  }
  return { rates, ratio: median(rates.two) / median(rates.one) };
}

/** Messages a second that are accepted for both accounts. */
async function measure(nodes, seconds) {
  const results = await Promise.all(
    nodes.map(({ url, environment }) =>
      load({
        ...{ url, script, connections: CONNECTIONS, seconds },
        environment: { ...environment, BENCH_DELAY: DELAY_SECONDS },
      }),
    ),
  );
  return results.reduce((sum, result) => sum + result.accepted / result.seconds, 0);
}

export function describeAcceptsOfTwo({ rates, ratio }) {
  return [
    `nodes, accepts: for two accounts, each with ${CONNECTIONS} connections`,
    table([
      ["who works", "accepts a second"],
      ["one node for both accounts", spread(rates.one)],
      ["two nodes, each for one", spread(rates.two)],
    ]),
    `  ratio ${ratio.toFixed(2)}, target at least ${TARGET}: ${ratio >= TARGET ? "met" : "MISSED"}`,
  ].join("\n");
}
