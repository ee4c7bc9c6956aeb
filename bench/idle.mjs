// Memory and processor time of an idle gateway.
import { setTimeout as pause } from "node:timers/promises";
import { startMerpati } from "./merpati.mjs";
import { cpuSeconds, memory, stop } from "./processes.mjs";

export const TARGET = 20;
const SETTLE_SECONDS = 3;
const WATCH_SECONDS = 5;

export async function idle({ scratch }) {
  const { processes } = await startMerpati({ folder: scratch("idle"), devices: 1 });
  await pause(SETTLE_SECONDS * 1000);
  const before = cpuSeconds(processes);
  await pause(WATCH_SECONDS * 1000);
  const cpu = (cpuSeconds(processes) - before) / WATCH_SECONDS;
  const { resident, private: own, files } = memory(processes[0]);
  await stop(...processes);
  return { resident, own, files, cpu, target: TARGET };
}

export function describeIdle({ resident, own, files, cpu, target }) {
  return [
    "idle: one account, one connected device, no traffic",
    `  resident ${resident.toFixed(1)} MiB (own ${own.toFixed(1)}, mapped files ` +
      `${files.toFixed(1)}), CPU ${(cpu * 100).toFixed(2)} % of a core`,
    `  target at most ${target} MiB: ${resident <= target ? "met" : "MISSED"}`,
  ].join("\n");
}
