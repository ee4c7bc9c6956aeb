// A campaign with a million recipients: how its import, start and run delay accepts, how much
// memory it takes, and what it costs while it is paused.
import { setTimeout as pause } from "node:timers/promises";
import { startWithCampaigns, writeList } from "./campaign_client.mjs";
import { cpuSeconds, memory, stop } from "./processes.mjs";
import { now, SteadyLoad } from "./steady_load.mjs";
import { grouped, table } from "./statistics.mjs";

export const TARGETS = { factor: 2, memory: 64, startSeconds: 3, cpu: 0.01 };
const UNDISTURBED_MIN_MS = 1; // A lower undisturbed time counts as this.
const ACCEPTS = 2_000; // A second.
const DELAY = 18_000; // Of the accepted messages: nothing but the campaign is sent.
const DEVICES = 16;
const SETTLE_SECONDS = 3;
const WATCH_SECONDS = 10;
// What was sent is summarised for searches afterwards, campaign or not. That ends before `atRest`.
const HOUSEKEEPING_SECONDS_MAX = 120;
const START_SECONDS = 2;

export async function million({ scratch, rows, seconds }) {
  const folder = scratch("million");
  const list = await writeList(folder, rows);
  const gateway = await startWithCampaigns({ folder, devices: DEVICES });
  const { campaigns, processes } = gateway;
  await pause(SETTLE_SECONDS * 1000);
  const idle = memory(processes[0]).resident;
  const load = await SteadyLoad.start({ ...gateway, perSecond: ACCEPTS, delay: DELAY });
  const phases = [];
  const phase = async (name, work) => {
    const watch = watchMemory(processes[0]);
    const before = { at: now(), cpu: cpuSeconds(processes) };
    await work();
    const until = now();
    const took = (until - before.at) / 1000;
    const cpu = (cpuSeconds(processes) - before.cpu) / took;
    const peak = watch.end() - idle;
    phases.push({ name, from: before.at, until, took, cpu, peak });
  };
  await pause(SETTLE_SECONDS * 1000);
  await phase("undisturbed", () => pause(seconds * 1000));
  const id = await campaigns.create();
  await phase("import", () => campaigns.upload(id, list));
  await phase("start", async () => {
    await campaigns.act(id, "start");
    await pause(START_SECONDS * 1000);
  });
  await phase("running", () => untilHalf(campaigns, id, rows, seconds));
  await phase("pause", () => campaigns.act(id, "pause"));
  for (const one of phases) Object.assign(one, await load.between(one.from, one.until));
  await load.stop();
  const { counts } = await campaigns.show(id);
  const paused = await atRest(processes, idle);
  await stop(...processes);
  const begun = performance.now();
  await gateway.startAgain();
  const startSeconds = (performance.now() - begun) / 1000;
  const restarted = await atRest(processes, idle);
  await stop(...processes);
  return { rows, idle, phases, counts, paused, restarted, startSeconds };
}

/** Resolves after `seconds`, or when half is sent: the rest is what is paused afterwards. */
async function untilHalf(campaigns, id, rows, seconds) {
  const end = now() + seconds * 1000;
  while (now() < end && (await campaigns.show(id)).counts.pending > rows / 2) await pause(500);
}

function watchMemory(child) {
  let peak = memory(child).resident;
  const timer = setInterval(() => (peak = Math.max(peak, memory(child).resident)), 50);
  return { end: () => (clearInterval(timer), Math.max(peak, memory(child).resident)) };
}

/**
 * Resident memory above `idle` in MiB, and processor time as a share of a core, of the first watch
 * that meets the target, or of the last one. `after`: the seconds until that watch.
 */
async function atRest(processes, idle) {
  const begun = performance.now();
  await pause(SETTLE_SECONDS * 1000);
  for (;;) {
    const after = (performance.now() - begun) / 1000;
    const before = cpuSeconds(processes);
    await pause(WATCH_SECONDS * 1000);
    const cpu = (cpuSeconds(processes) - before) / WATCH_SECONDS;
    if (cpu <= TARGETS.cpu || after > HOUSEKEEPING_SECONDS_MAX) {
      return { cpu, after, memory: memory(processes[0]).resident - idle };
    }
  }
}

export function describeMillion({ rows, phases, counts, paused, restarted, startSeconds }) {
  const undisturbed = Math.max(UNDISTURBED_MIN_MS, phases[0].p99);
  const factor = Math.max(...phases.slice(1, 4).map(({ p99 }) => p99 / undisturbed));
  const peak = Math.max(...phases.map((phase) => phase.peak));
  const refused = phases.at(-1).refused;
  const met = (is) => (is ? "met" : "MISSED");
  const rest = ({ cpu, after, memory: more }) =>
    `CPU ${(cpu * 100).toFixed(2)} % of a core after ${after.toFixed(0)} s, ` +
    `${more.toFixed(1)} MiB above idle`;
  return [
    `campaign of ${grouped(rows)} recipients, beside ${grouped(ACCEPTS)} accepts a second`,
    table([
      ["", "seconds", "p50 ms", "p99 ms", "longest", "CPU of a core", "MiB above idle"],
      ...phases.map(({ name, took, p50, p99, max, cpu, peak: more }) => [
        name,
        took.toFixed(1),
        ...[p50, p99, max].map((ms) => (ms === undefined ? "-" : ms.toFixed(2))),
        `${(cpu * 100).toFixed(0)} %`,
        more.toFixed(1),
      ]),
    ]),
    `  p99 at most ${factor.toFixed(2)} times the undisturbed one during import, start and run ` +
      `(${refused} refused), target under ${TARGETS.factor}: ` +
      met(factor < TARGETS.factor && refused === 0),
    `  memory at most ${peak.toFixed(1)} MiB above idle, target ${TARGETS.memory}: ` +
      met(peak <= TARGETS.memory),
    `  paused with ${grouped(counts.pending)} pending: ${rest(paused)}; ` +
      `after a restart ${rest(restarted)}: ` +
      met([paused, restarted].every(({ cpu }) => cpu <= TARGETS.cpu)),
    `  started with it in ${startSeconds.toFixed(2)} s, target under ${TARGETS.startSeconds}: ` +
      met(startSeconds < TARGETS.startSeconds),
  ].join("\n");
}
