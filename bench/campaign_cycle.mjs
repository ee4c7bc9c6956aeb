// What a message of a campaign costs: handed over, sent, called back, and its completion stored,
// against messages that the API accepts; and 200 campaigns that run together against one.
import { setTimeout as pause } from "node:timers/promises";
import { startWithCampaigns, writeList } from "./campaign_client.mjs";
import { drain, measure } from "./cycle.mjs";
import { script, startMerpati } from "./merpati.mjs";
import { cpuSeconds, stop } from "./processes.mjs";
import { startSink } from "./sink.mjs";
import { grouped, median, spread, table } from "./statistics.mjs";

export const TARGETS = { cycle: 0.7, many: 0.9 }; // Per CPU-second; per second.
const DEVICES = 16;
const SETTLE_SECONDS = 2;
const [WINDOW_FROM, WINDOW_UNTIL] = [0.2, 0.8]; // Of all callbacks: while all campaigns run.

/** Messages of the API and of a campaign take turns. */
export async function campaignCycle({ scratch, seconds, repetitions, messages }) {
  const sink = await startSink(scratch("sink"));
  const sides = { api: [], campaign: [] };
  for (let round = 0; round < repetitions; round += 1) {
    const api = () =>
      startMerpati({ folder: scratch("api"), devices: DEVICES, callback: sink.url });
    sides.api.push(await measure(api, script, sink, seconds));
    sides.campaign.push(await runOne(scratch("campaign"), sink, messages));
  }
  await stop(sink.process);
  return { messages, sides, ratio: ratioOf(sides.campaign, sides.api) };
}

/** 200 campaigns and one, with as many recipients in all, take turns. */
export async function manyCampaigns({ scratch, repetitions, messages, campaigns }) {
  const sink = await startSink(scratch("sink"));
  const sides = { one: [], many: [] };
  for (let round = 0; round < repetitions; round += 1) {
    sides.one.push(await runTogether(scratch("one"), sink, messages, 1));
    sides.many.push(await runTogether(scratch("many"), sink, messages, campaigns));
  }
  await stop(sink.process);
  const rate = (side) => median(side.map(({ perSecond }) => perSecond));
  const perSecond = rate(sides.many) / rate(sides.one);
  return { messages, campaigns, sides, perSecond, ratio: ratioOf(sides.many, sides.one) };
}

function ratioOf(side, other) {
  const rate = (results) => median(results.map(({ perCpuSecond }) => perCpuSecond));
  return rate(side) / rate(other);
}

/** From the start of one campaign until everything is done. */
async function runOne(folder, sink, messages) {
  const { processes, campaigns } = await prepare(folder, sink, messages, 1);
  const callbacks = await sink.count();
  const cpu = cpuSeconds(processes);
  const begun = performance.now();
  await campaigns.act(campaigns.ids[0], "start");
  const drained = await drain(processes, sink, callbacks + messages);
  const completed = drained.callbacks - callbacks;
  const perCpuSecond = completed / (cpuSeconds(processes) - cpu);
  const perSecond = completed / ((drained.at - begun) / 1000);
  await stop(...processes);
  return { completed, missing: messages - completed, perSecond, perCpuSecond };
}

/** While all campaigns run, without their beginning and end. */
async function runTogether(folder, sink, messages, count) {
  const { processes, campaigns } = await prepare(folder, sink, messages, count);
  const before = await sink.count();
  const at = async (share) => {
    let callbacks = 0;
    while (callbacks < messages * share) {
      await pause(20);
      callbacks = (await sink.count()) - before;
    }
    return { callbacks, cpu: cpuSeconds(processes), time: performance.now() / 1000 };
  };
  // One after the other: an account may not have many calls under way.
  const starting = (async () => {
    for (const id of campaigns.ids) await campaigns.act(id, "start");
  })();
  const from = await at(WINDOW_FROM);
  const until = await at(WINDOW_UNTIL);
  await starting;
  for (const id of campaigns.ids) await campaigns.untilOpen(id, 1);
  await stop(...processes);
  const completed = until.callbacks - from.callbacks;
  return {
    perSecond: completed / (until.time - from.time),
    perCpuSecond: completed / (until.cpu - from.cpu),
  };
}

/** A gateway with `count` campaigns that are ready to start, of `messages` recipients in all. */
async function prepare(folder, sink, messages, count) {
  const gateway = await startWithCampaigns({ folder, devices: DEVICES, callback: sink.url });
  const { campaigns } = gateway;
  campaigns.ids = [];
  const each = Math.floor(messages / count);
  for (let made = 0; made < count; made += 1) {
    const id = await campaigns.create();
    await campaigns.upload(id, await writeList(folder, each, made * each));
    campaigns.ids.push(id);
  }
  await pause(SETTLE_SECONDS * 1000); // For the checkpoint of the lists.
  return gateway;
}

export function describeCampaignCycle({ messages, sides, ratio }) {
  const row = (name, side) => [
    name,
    spread(side.map((result) => result.perCpuSecond)),
    grouped(median(side.map((result) => result.perSecond))),
    `${side.reduce((sum, result) => sum + result.missing, 0)}`,
  ];
  return [
    `campaign's cycle: ${grouped(messages)} recipients, sent and called back; ${DEVICES} devices`,
    table([
      ["side", "messages per CPU-second", "per second", "missing"],
      row("POST /v1/send", sides.api),
      row("campaign", sides.campaign),
    ]),
    `  ratio ${ratio.toFixed(2)}, target at least ${TARGETS.cycle}: ` +
      (ratio >= TARGETS.cycle ? "met" : "MISSED"),
  ].join("\n");
}

export function describeManyCampaigns({ messages, campaigns, sides, perSecond, ratio }) {
  const row = (name, side) => [
    name,
    spread(side.map((result) => result.perSecond)),
    spread(side.map((result) => result.perCpuSecond)),
  ];
  const met = perSecond >= TARGETS.many;
  return [
    `campaigns that run together, of ${grouped(messages)} recipients in all`,
    table([
      ["", "messages per second", "per CPU-second"],
      row("1 campaign", sides.one),
      row(`${campaigns} campaigns`, sides.many),
    ]),
    `  ratio ${perSecond.toFixed(2)} a second, target at least ${TARGETS.many}: ` +
      `${met ? "met" : "MISSED"}; ${ratio.toFixed(2)} per CPU-second`,
  ].join("\n");
}
