// Runs the end-to-end suite's crash tests with hundreds of crashes instead of the few of `./dev
// test`: first kill -9 and power cuts of the gateway under load with the simulator; then at each
// step of a campaign's life; then kill -9 of worker, gateway and both, with linked devices. A power
// cut is simulated: a random part of what is not synced is undone (tests/support/power_cut.ts).
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median, table } from "./statistics.mjs";

export async function crash({ scratch, rounds, campaignRounds, linkedRounds, linkedBack }) {
  // The first name is part of the second one, too.
  const messagesAlone = { MERPATI_CRASH_ROUNDS: `${rounds}`, MERPATI_CAMPAIGN_ROUNDS: "0" };
  const ledger = rounds === 0 || run("crash.test", messagesAlone);
  const campaigns =
    campaignRounds === 0 ||
    run("campaign_crash.test", { MERPATI_CAMPAIGN_ROUNDS: `${campaignRounds}` });
  const linked = linkedRounds > 0 ? crashLinked(scratch("crash"), linkedRounds) : undefined;
  const back = !linked || linked.figures.every(({ ms }) => ms <= linkedBack);
  const all = ledger && campaigns && back && (linked?.passed ?? true);
  return { rounds, campaignRounds, linked, linkedBack, ledger, campaigns, back, passed: all };
}

function crashLinked(folder, rounds) {
  const file = join(folder, "linked.json");
  const passed = run("crash_linked", {
    MERPATI_LINKED_ROUNDS: `${rounds}`,
    MERPATI_LINKED_FIGURES: file,
  });
  try {
    return { rounds, passed, ...JSON.parse(readFileSync(file, "utf8")) };
  } catch {
    return { rounds, passed: false, figures: [], books: {} }; // The test ended early.
  }
}

function run(filter, environment) {
  const { status } = spawnSync("npx", ["vitest", "run", filter], {
    cwd: join(import.meta.dirname, "../tests"),
    stdio: "inherit",
    env: {
      ...process.env,
      ...environment,
      MERPATI_BINARY:
        process.env.MERPATI_BINARY ?? join(import.meta.dirname, "../build/release/merpati"),
    },
  });
  return status === 0;
}

export function describeCrash(result) {
  const { rounds, ledger, campaignRounds, campaigns, linked, linkedBack, back } = result;
  const lines = [];
  if (rounds > 0) {
    lines.push(
      `crash: ${rounds} times kill -9 and power cut under load; ledgers are above`,
      `  nothing lost: ${ledger ? "met" : "MISSED"}`,
    );
  }
  if (campaignRounds > 0) {
    lines.push(
      `crash, campaigns: ${campaignRounds} times kill -9 and power cut at each step`,
      "  nobody left out, nobody sent to twice, counts, callbacks and ledger exact: " +
        (campaigns ? "met" : "MISSED"),
    );
  }
  if (linked) lines.push(...describeLinked(linked, linkedBack, back));
  return lines.join("\n");
}

function describeLinked({ rounds, passed, figures, books }, linkedBack, back) {
  const seconds = (ms) => (ms / 1000).toFixed(2);
  const row = (victim) => {
    const all = figures.filter((each) => each.victim === victim).map(({ ms }) => ms);
    const sorted = all.sort((a, b) => a - b);
    const slowest = sorted.at(Math.ceil(sorted.length * 0.9) - 1);
    const late = sorted.filter((ms) => ms > linkedBack).length;
    return [victim, sorted[0], median(sorted), slowest, sorted.at(-1)]
      .map((cell) => (typeof cell === "number" ? seconds(cell) : cell))
      .concat(`${late} of ${sorted.length}`);
  };
  const victims = [...new Set(figures.map(({ victim }) => victim))];
  return [
    `crash, linked devices: ${rounds} times kill -9 in mid-send; ${books.accepted} messages, ` +
      `${books.sentAgain} of them sent again and shown once`,
    "  seconds from the kill until every device is connected again, without a new QR code",
    table([
      ["killed", "fastest", "median", "nine of ten", "slowest", `above ${seconds(linkedBack)} s`],
      ...victims.map(row),
    ]),
    `  nothing lost, nothing shown twice, nothing linked anew: ${passed ? "met" : "MISSED"}`,
    `  back within ${seconds(linkedBack)} s: ${back ? "met" : "MISSED"}`,
  ];
}
