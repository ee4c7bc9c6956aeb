// The short form of `./dev bench month`: five minutes of everything at once, while rows are
// removed as fast as they are made. It leaves out
//   the growth of times and sizes, which other tests beside it disturb, and the stock of the hour;
//   steps of the clock, because a gateway with sanitizers does not start with libfaketime; without
//   them no hour passes, so counts of usage and rows of ledgers are not removed;
//   the full disk, where this user may not mount one.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { binary } from "./support/binary.ts";

const seconds = 300;
const perSecond = 25;
const bench = (file: string) => join(import.meta.dirname, "../bench", file);

test(
  "a month in five minutes: nothing is lost, and the books are exact",
  async () => {
    const { code, stdout, stderr } = await ended(bench("main.mjs"), {
      MERPATI_BINARY: binary,
      BENCH_MONTH_SECONDS: `${seconds}`,
      BENCH_MONTH_RATE: `${perSecond}`,
      BENCH_MONTH_GROWTH: "0",
      BENCH_MONTH_CLOCK: "no",
      BENCH_MONTH_WHOLE: "no",
    });
    console.log(stdout);
    const file = /^the figures: (.*)$/m.exec(stdout)?.[1];
    if (!file) throw new Error(`the month did not end (${code}): ${stderr}`);
    const { month } = JSON.parse(readFileSync(file, "utf8"));
    expect(month.missing).toEqual([]);
    expect(month.unknown).toEqual([]);
    expect(month.agreement.filter(({ met }: { met: boolean }) => !met)).toEqual([]);
    expect(month.lines).toEqual([]);
    expect(month.visits.wrong).toEqual({});
    expect(month.counts.accepted).toBeGreaterThan((seconds * perSecond) / 2);
    expect(month.samples.some((one: { workers?: number }) => (one.workers ?? 0) > 0)).toBe(true);
    expect(month.samples.some((one: { media: number }) => one.media > 0)).toBe(true);
    expect(stdout).toContain("NOT WHOLE, without the rest of the hour");
    expect(code).toBe(0);
  },
  (seconds + 900) * 1000,
);

test("a month that leaves something out says so, and fails", async () => {
  const { judge, describeMonth } = await import(bench("month/judgement.mjs"));
  const report = quiet();
  const strict = { growthMax: 1.3, mustBeWhole: true };
  const whole = judge(report, strict);
  expect(whole.passed).toBe(true);
  expect(describeMonth(whole)).toContain("\n  whole\n");
  const partly = { ...report, leftOut: ["a full disk (this user may not mount one)"] };
  const failed = judge(partly, strict);
  expect(failed.passed).toBe(false);
  expect(describeMonth(failed)).toContain("NOT WHOLE, without a full disk");
  expect(judge(partly, { ...strict, mustBeWhole: false }).passed).toBe(true);
  for (const figure of ["workers", "media"]) {
    const grown = report.samples.map((one, index) => ({ ...one, [figure]: index < 45 ? 1 : 2 }));
    expect(judge({ ...report, samples: grown }, strict).passed, figure).toBe(false);
  }
});

test("a month names each message that was not reported, with all that is known of it", async () => {
  const { describeMonth } = await import(bench("month/judgement.mjs"));
  const missing = [{ id: "lost-1", shown: { to: "6281200000017" }, queue: [{ due_at: 12 }] }];
  const text = describeMonth({ ...quiet(), growth: [], growthMax: 0, missing });
  expect(text).toContain("not reported: 1 lost-1;");
  expect(text).toContain(`\n  not reported: ${JSON.stringify(missing[0])}\n`);
});

test("a month has the simulator play something only for the recipients that it means", async () => {
  const { recipientOf } = await import(bench("month/senders.mjs"));
  const docs = readFileSync(join(import.meta.dirname, "../docs/simulator.md"), "utf8");
  const played = new Set([...docs.matchAll(/^\| `(99\d{4})` \|/gm)].map(([, ending]) => ending));
  expect(played).toContain("995001");
  const wrong = [];
  for (let number = 0; number < 3_000_000; number += 1) {
    const recipient = recipientOf(number);
    if (played.has(recipient.slice(-6))) wrong.push(recipient);
  }
  expect(wrong).toEqual([]);
});

/** A month in which nothing went wrong and nothing grew. */
function quiet() {
  const minute = {
    acceptP99: 2,
    callbackP99: 3,
    memory: 50,
    workers: 90,
    disk: 400,
    media: 1,
    descriptors: 60,
    rows: { message: 5000, usage: 200 },
  };
  return {
    seconds: 3600,
    rate: 800,
    samples: Array.from({ length: 60 }, () => minute),
    visits: { wrong: {} },
    agreement: [{ what: "usage: sent", found: 7, wanted: 7, met: true }],
    counts: { accepted: 9, refused: {}, repeated: 0, ended: { sent: 7, failed: 2 } },
    held: [],
    missing: [],
    unknown: [],
    lines: [],
    leftOut: [] as string[],
  };
}

function ended(program: string, environment: Record<string, string>) {
  const options = { env: { ...process.env, ...environment }, maxBuffer: 1 << 26 };
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [program, "month"], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    );
  });
}
