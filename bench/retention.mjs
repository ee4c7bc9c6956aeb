// Whether old messages are removed as fast as new ones are accepted, and whether keys that expire
// all the time, as from the second day on, delay answers.
import { expiredKeys, fillWithFinished, fillWithKeys, removedOf } from "./fill.mjs";
import { load } from "./load.mjs";
import { script, startMerpati } from "./merpati.mjs";
import { stop } from "./processes.mjs";
import { grouped, median } from "./statistics.mjs";

export const TARGET = 1;
const OLD = 1_000_000;
const ROWS_EACH = 3; // Message, completion and callback.
const CONNECTIONS = 64;

export const DAY_TWO = { keys: 2_000_000, perSecond: 20, connections: 16, target: 2 };
/** Longer than a minute, so that each measurement has a round of retention. */
const DAY_TWO_SECONDS = Number(process.env.BENCH_DAY_TWO_SECONDS ?? 65);

export async function retention(options) {
  return { ...(await oldMessages(options)), dayTwo: await dayTwo(options) };
}

/** Two stores with as many keys of one account, of which one has keys that expire. Take turns. */
async function dayTwo({ scratch, repetitions }) {
  const sides = {};
  for (const [name, firstIn] of [["undisturbed", 43_200_000], ["expiring", 0]]) {
    const fill = (file) => {
      sides[name].file = file;
      fillWithKeys(file, DAY_TWO.keys, { firstIn, perSecond: DAY_TWO.perSecond });
    };
    sides[name] = { times: [] };
    Object.assign(sides[name], await startMerpati({ folder: scratch(name), devices: 20, fill }));
    await stop(...sides[name].processes);
  }
  for (let round = 0; round < repetitions; round += 1) {
    for (const side of Object.values(sides)) {
      await side.startAgain();
      const environment = { ...side.environment, BENCH_DELAY: "18000", BENCH_PAUSE: "10" };
      const result = await load({
        url: side.url,
        script,
        connections: DAY_TWO.connections,
        seconds: DAY_TWO_SECONDS,
        environment,
      });
      side.times.push({ p50: result.p50, p99: result.p99, accepted: result.accepted });
      side.left = expiredKeys(side.file);
      await stop(...side.processes);
    }
  }
  const p99 = (name) => median(sides[name].times.map((time) => time.p99));
  const keptUp = sides.expiring.left <= 61 * DAY_TWO.perSecond;
  return {
    undisturbed: sides.undisturbed.times,
    expiring: sides.expiring.times,
    keptUp,
    ratio: p99("expiring") / p99("undisturbed"),
  };
}

async function oldMessages({ scratch, seconds }) {
  const folder = scratch("retention");
  let file;
  const { processes, url, environment } = await startMerpati({
    folder,
    devices: 20,
    fill: (store, numbers) =>
      fillWithFinished((file = store), numbers, OLD, { daysAgo: [60, 31] }),
  });
  const removedBefore = removedOf(file, OLD);
  const { accepted, ...result } = await load({
    url,
    script,
    connections: CONNECTIONS,
    seconds,
    environment: { ...environment, BENCH_DELAY: "18000" },
  });
  const removed = removedOf(file, OLD) - removedBefore;
  await stop(...processes);
  const removedPerSecond = removed / result.seconds;
  const acceptedPerSecond = accepted / result.seconds;
  return {
    removedPerSecond,
    acceptedPerSecond,
    finished: removedBefore + removed === OLD,
    p99: result.p99,
    ratio: removedPerSecond / acceptedPerSecond,
    target: TARGET,
  };
}

export function describeRetention(report) {
  const { removedPerSecond, acceptedPerSecond, finished, p99, ratio, target } = report;
  const rows = removedPerSecond * ROWS_EACH;
  return [
    `retention: ${grouped(OLD)} old messages with their callbacks, beside accepts at full rate`,
    `  removed ${grouped(removedPerSecond)} messages (${grouped(rows)} rows) a second` +
      `${finished ? ", which was all" : ""}; ` +
      `accepted ${grouped(acceptedPerSecond)} a second, p99 ${p99.toFixed(2)} ms`,
    `  ratio ${ratio.toFixed(2)}, target at least ${target}: ${ratio >= target ? "met" : "MISSED"}`,
    ...describeDayTwo(report.dayTwo),
  ].join("\n");
}

function describeDayTwo({ undisturbed, expiring, keptUp, ratio }) {
  const times = (side) => side.map(({ p99 }) => p99.toFixed(2)).join(", ");
  const met = ratio <= DAY_TWO.target && keptUp;
  return [
    `day two: ${grouped(DAY_TWO.keys)} keys of one account, ${DAY_TWO.perSecond} expire a second`,
    `  accepts' p99 in ms: undisturbed ${times(undisturbed)}; while keys expire ${times(expiring)}`,
    `  ratio ${ratio.toFixed(2)}, target at most ${DAY_TWO.target}: ${met ? "met" : "MISSED"}` +
      `${keptUp ? "" : "; expired keys were left"}`,
  ];
}
