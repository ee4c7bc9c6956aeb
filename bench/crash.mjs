// Runs the end-to-end suite's crash tests with hundreds of kills instead of the few of `./dev
// test`: first the gateway under load with the simulator; then worker, gateway and both, with
// linked devices.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median, table } from "./statistics.mjs";

export async function crash({ scratch, rounds, linkedRounds, linkedBack }) {
  const ledger = rounds === 0 || run("crash.test", { MERPATI_CRASH_ROUNDS: `${rounds}` });
  const linked = linkedRounds > 0 ? crashLinked(scratch("crash"), linkedRounds) : undefined;
  const back = !linked || linked.figures.every(({ ms }) => ms <= linkedBack);
  const all = ledger && back && (linked?.passed ?? true);
  return { rounds, linked, linkedBack, ledger, back, passed: all };
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

export function describeCrash({ rounds, ledger, linked, linkedBack, back }) {
  const lines = [];
  if (rounds > 0) {
    lines.push(
      `crash: ${rounds} times kill -9 under load, for each kind of platform; ledgers are above`,
      `  nothing lost: ${ledger ? "met" : "MISSED"}`,
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
