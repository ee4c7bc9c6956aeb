// The whole life of a message through the official platform's API, against one through the
// simulator: accepted, sent to the test server, reported by its webhooks, called back, stored; in
// messages per CPU-second of the gateway. Both get the same number of messages a second, fewer
// than the test server can take: at its full rate the simulator gets ten times as many, and their
// commits are shared by so many messages that the ratio says nothing of the connectors.
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { measure } from "./cycle.mjs";
import { script, startMerpati } from "./merpati.mjs";
import { start, stop, until } from "./processes.mjs";
import { startSink } from "./sink.mjs";
import { grouped, median, spread, table } from "./statistics.mjs";

export const TARGET = 0.5; // Of the simulator's messages per CPU-second.
const DEVICES = 64; // At the platform's 80 messages a second each, the gateway is the limit.
const PAUSE_MS = 32; // Of each of the 64 connections: some 1,700 messages a second.
const RECIPIENTS = 16_384; // Many, because the platform limits those to one recipient.
const FIRST_NUMBER = 6281150000001;
const UNPACED = ["--gap", "0s", "--jitter", "0s", "--per-day", "none", "--warm-up", "0"];

/** Both sides take turns. */
export async function cloud({ scratch, seconds, repetitions }) {
  const sink = await startSink(scratch("sink"));
  const sides = { simulator: [], cloud: [] };
  for (let round = 0; round < repetitions; round += 1) {
    const simulated = async () =>
      spreadOut(
        await startMerpati({
          folder: scratch("simulator"),
          devices: DEVICES,
          callback: sink.url,
        }),
      );
    sides.simulator.push(await measure(simulated, script, sink, seconds));
    const platform = await startPlatform(scratch("platform"));
    const ours = () => startCloud(scratch("cloud"), platform, sink.url);
    sides.cloud.push(await measure(ours, script, sink, seconds));
    await stop(platform.process);
  }
  await stop(sink.process);
  const rate = (side) => median(side.map((result) => result.perCpuSecond));
  const ratio = rate(sides.cloud) / rate(sides.simulator);
  const missing = sides.cloud.reduce((sum, result) => sum + result.missing, 0);
  return { sides, ratio, target: TARGET, missing, passed: ratio >= TARGET && missing === 0 };
}

const spreadOut = (side, environment = {}) => ({
  ...side,
  environment: {
    ...side.environment,
    BENCH_RECIPIENTS: `${RECIPIENTS}`,
    BENCH_PAUSE: `${PAUSE_MS}`,
    ...environment,
  },
});

/** The test server, as a program; see tests/graph/README.md. */
async function startPlatform(folder) {
  const log = join(folder, "platform.log");
  const program = join(import.meta.dirname, "../tests/graph/start.mjs");
  const child = start(process.execPath, [program, "--fast"], { log, folder });
  const said = () => /^\{.*\}$/m.exec(readFileSync(log, "utf8"));
  await until("the platform", () => said() !== null, { child, seconds: 60 });
  return { process: child, ...JSON.parse(said()[0]) };
}

async function startCloud(folder, platform, callback) {
  const verifyToken = randomBytes(12).toString("hex");
  const secretFile = join(folder, "app_secret");
  writeFileSync(secretFile, platform.secret);
  const side = await startMerpati({
    folder,
    devices: 0,
    callback,
    settings: {
      "cloud.url": platform.url,
      "cloud.app_secret_file": secretFile,
      "cloud.verify_token": verifyToken,
    },
  });
  const ask = async (word, body) => {
    const options = { method: "POST", body: JSON.stringify(body) };
    const reply = await fetch(`${platform.control}/${word}`, options);
    const json = await reply.json();
    if (!reply.ok) throw new Error(`${word}: ${json.error}`);
    return json;
  };
  const url = new URL("/v1/platform/cloud", side.url).href;
  await ask("subscribe", { url, verify_token: verifyToken });
  const numbers = Array.from({ length: DEVICES }, (_, index) => `${FIRST_NUMBER + index}`);
  const [account] = side.command("account", "list");
  for (const number of numbers) {
    const { phone_number_id: id, token } = await ask("number", { number });
    const tokenFile = join(folder, "token");
    writeFileSync(tokenFile, token);
    const access = ["--phone-number-id", id, "--token-file", tokenFile];
    side.command(
      "device",
      "add",
      account.id,
      number,
      "--connector",
      "cloud",
      ...access,
      ...UNPACED,
    );
  }
  return spreadOut(side, { BENCH_FROM: numbers.join(" ") });
}

export function describeCloud({ sides, ratio, target, missing }) {
  const row = (name, side) => [
    name,
    spread(side.map((result) => result.perCpuSecond)),
    grouped(median(side.map((result) => result.perSecond))),
    grouped(median(side.map((result) => result.resident))),
    `${side.reduce((sum, result) => sum + result.missing, 0)}`,
  ];
  const met = ratio >= target && missing === 0;
  return [
    `cloud: accepted, sent, reported by webhook, called back; ${DEVICES} numbers, drain included`,
    table([
      ["side", "messages per CPU-second", "per second", "MiB", "missing"],
      row("simulator", sides.simulator),
      row("test server of the official platform", sides.cloud),
    ]),
    `  ratio ${ratio.toFixed(2)}, target at least ${target}, none missing: ` +
      `${met ? "met" : "MISSED"}`,
  ].join("\n");
}
