// Campaigns: one with a million recipients beside accepts, what a message costs, many campaigns at
// once, and another account's codes beside a large one.
//
// BENCH_ROW: only parts whose names contain it (million, cycle, many, neighbour). The sizes are
// variables of the environment too; main.mjs lists them.
import {
  campaignCycle,
  describeCampaignCycle,
  describeManyCampaigns,
  manyCampaigns,
} from "./campaign_cycle.mjs";
import { describeMillion, million } from "./campaign_million.mjs";
import { describeNeighbour, measureBesideCampaign } from "./campaign_neighbour.mjs";

// A gateway sends some 10,000 recipients a second: enough that the large ones do not end early.
const number = (name, usual) => Number(process.env[name] ?? usual);
const ROWS = number("BENCH_CAMPAIGN_ROWS", 1_000_000);
const SECONDS = number("BENCH_CAMPAIGN_SECONDS", 30);
const MESSAGES = number("BENCH_CAMPAIGN_MESSAGES", 100_000);
const CAMPAIGNS = number("BENCH_CAMPAIGNS", 200);
const NEIGHBOUR = number("BENCH_CAMPAIGN_NEIGHBOUR", 400_000);

const parts = {
  million: [(all) => million({ ...all, rows: ROWS, seconds: SECONDS }), describeMillion],
  cycle: [(all) => campaignCycle({ ...all, messages: MESSAGES }), describeCampaignCycle],
  many: [
    (all) => manyCampaigns({ ...all, messages: MESSAGES, campaigns: CAMPAIGNS }),
    describeManyCampaigns,
  ],
  neighbour: [({ scratch }) => measureBesideCampaign(scratch, NEIGHBOUR), describeNeighbour],
};

export async function campaign(options) {
  const results = {};
  for (const [name, [measure]] of Object.entries(parts)) {
    if (!name.includes(process.env.BENCH_ROW ?? "")) continue;
    results[name] = await measure(options);
    process.stderr.write(`  ${name}: ${JSON.stringify(results[name])}\n`);
  }
  return results;
}

export function describeCampaign(results) {
  return Object.entries(results)
    .map(([name, result]) => parts[name][1](result))
    .join("\n\n");
}
