// The short form of `./dev bench month`: five minutes of everything at once, while rows are
// removed as fast as they are made. Figures of time and size are judged only in the long form.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { binary } from "./support/binary.ts";

const seconds = 300;
const perSecond = 25;

test(
  "a month in five minutes: nothing is lost, and the books are exact",
  async () => {
    const main = join(import.meta.dirname, "../bench/main.mjs");
    const { code, stdout, stderr } = await ended(main, {
      MERPATI_BINARY: binary,
      BENCH_MONTH_SECONDS: `${seconds}`,
      BENCH_MONTH_RATE: `${perSecond}`,
      BENCH_MONTH_GROWTH: "0", // Not judged: other tests run beside it.
      BENCH_MONTH_CLOCK: "no", // The gateway under test may have sanitizers.
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
    expect(code).toBe(0);
  },
  (seconds + 900) * 1000,
);

function ended(program: string, environment: Record<string, string>) {
  const options = { env: { ...process.env, ...environment }, maxBuffer: 1 << 26 };
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [program, "month"], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    );
  });
}
