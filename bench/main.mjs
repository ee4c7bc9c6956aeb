// `./dev bench [NAME...]`: measures, prints a table for each bench, and writes the figures to
// bench/results/. Fails if the cloud, crash, web or month bench fails. The month takes an hour, and
// is measured only where it is named.
//
// The sides of a comparison take turns in one run, and their medians are compared. Ratios carry
// over to other machines, absolute figures do not. Variables of the environment, with their
// defaults:
//
//   BENCH_SECONDS (5)               length of one measurement
//   BENCH_REPETITIONS (3)           measurements of each side
//   BENCH_STORED (5000000)          messages in the large stores
//   BENCH_DAY_TWO_SECONDS (65)      length of a measurement of the retention bench with keys
//   BENCH_WEB_SECONDS (600)         time that a page is left open
//   BENCH_CAMPAIGN_ROWS (1000000)   recipients of the large campaign
//   BENCH_CAMPAIGN_SECONDS (30)     how long it runs, and how long accepts are undisturbed before
//   BENCH_CAMPAIGN_MESSAGES (100000) recipients of the campaigns whose messages are counted
//   BENCH_CAMPAIGNS (200)           campaigns that run together
//   BENCH_CAMPAIGN_NEIGHBOUR (400000) recipients of another account's campaign
//   BENCH_SNAPSHOT_SECONDS (600)    how long a snapshot of the database is held
//   BENCH_TAKEOVER_DEVICES (1000)   devices of a node that is killed, and
//   BENCH_TAKEOVER_MESSAGES (1000000) messages that wait for them
//   MERPATI_CRASH_ROUNDS (200)      crashes under load, for each kind
//   MERPATI_CAMPAIGN_ROUNDS (10)    crashes at each step of a campaign's life, for each kind
//   MERPATI_LINKED_ROUNDS (100)     kills with linked devices
//   MERPATI_LINKED_BACK_MS (2000)   time that linked devices may be away
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { accepts, describeAccepts } from "./accepts.mjs";
import { campaign, describeCampaign } from "./campaign.mjs";
import { cloud, describeCloud } from "./cloud.mjs";
import { crash, describeCrash } from "./crash.mjs";
import { bulk, describeBulk } from "./bulk.mjs";
import { cycle, describeCycle } from "./cycle.mjs";
import { describeFairness, fairness } from "./fairness.mjs";
import { fsyncsPerSecond } from "./disk.mjs";
import { describeFairnessMedia, fairnessMedia } from "./fairness_media.mjs";
import { describeIdle, idle } from "./idle.mjs";
import { describeMedia, media } from "./media.mjs";
import { grouped } from "./statistics.mjs";
import { describeLinked, linked } from "./linked.mjs";
import { describeLatency, latency } from "./latency.mjs";
import { describeMonth, month } from "./month/month.mjs";
import { describeNodes, nodes } from "./nodes.mjs";
import { describeOrigins, origins } from "./origins.mjs";
import { describeRetention, retention } from "./retention.mjs";
import { describeSearch, search } from "./search.mjs";
import { describeStored, stored } from "./stored.mjs";
import { anonymous, describeAnonymous } from "./anonymous.mjs";
import { describeKnown, known } from "./known.mjs";
import { describeEvents, events } from "./events.mjs";
import { describeWeb, web } from "./web.mjs";

const benches = {
  idle: [idle, describeIdle],
  accepts: [accepts, describeAccepts],
  cycle: [cycle, describeCycle],
  bulk: [bulk, describeBulk],
  origins: [origins, describeOrigins],
  latency: [latency, describeLatency],
  stored: [stored, describeStored],
  retention: [retention, describeRetention],
  search: [search, describeSearch],
  media: [media, describeMedia],
  fairness: [fairness, describeFairness],
  "fairness-media": [fairnessMedia, describeFairnessMedia],
  anonymous: [anonymous, describeAnonymous],
  known: [known, describeKnown],
  campaign: [campaign, describeCampaign],
  events: [events, describeEvents],
  web: [web, describeWeb],
  linked: [linked, describeLinked],
  cloud: [cloud, describeCloud],
  nodes: [nodes, describeNodes],
  crash: [crash, describeCrash],
  month: [month, describeMonth],
};

const names = process.argv.slice(2);
const unknown = names.find((name) => !benches[name]);
if (unknown) {
  console.error(`no bench is called ${unknown}; there are ${Object.keys(benches).join(", ")}`);
  process.exit(2);
}

// On the disk of the checkout: /tmp may be in memory, where fsync costs nothing.
const results = join(import.meta.dirname, "results");
const scratchRoot = join(results, "scratch");
let scratchCount = 0;
function scratch(name) {
  const folder = join(scratchRoot, `${(scratchCount += 1)}-${name}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

const options = {
  scratch,
  seconds: Number(process.env.BENCH_SECONDS ?? 5),
  repetitions: Number(process.env.BENCH_REPETITIONS ?? 3),
  rounds: Number(process.env.MERPATI_CRASH_ROUNDS ?? 200),
  campaignRounds: Number(process.env.MERPATI_CAMPAIGN_ROUNDS ?? 10),
  linkedRounds: Number(process.env.MERPATI_LINKED_ROUNDS ?? 100),
  linkedBack: Number(process.env.MERPATI_LINKED_BACK_MS ?? 2000),
};
const began = new Date().toISOString();
rmSync(scratchRoot, { recursive: true, force: true });
const report = {
  began,
  machine: { processor: cpus()[0].model, cores: cpus().length },
  fsyncsPerSecond: fsyncsPerSecond(scratch("disk")),
};
console.log(
  `${report.machine.cores} cores (${report.machine.processor}), ` +
    `${grouped(report.fsyncsPerSecond)} fsyncs of 4 KiB a second; ` +
    `${options.repetitions} turns of ${options.seconds} s a side; median (lowest to highest)\n`,
);
const usual = Object.keys(benches).filter((name) => name !== "month");
for (const name of names.length ? names : usual) {
  const [measure, describe] = benches[name];
  report[name] = await measure(options);
  console.log(`${describe(report[name])}\n`);
  if (report[name].passed === false) process.exitCode = 1;
}
rmSync(scratchRoot, { recursive: true, force: true });
const file = join(results, `${began.replace(/[:.]/g, "-")}.json`);
writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
console.log(`the figures: ${file}`);
