import { expect, test } from "vitest";
import { MemoryTrimmer, type Usage } from "../src/process/memory.js";
import { ManualClock } from "./support/manual_clock.js";

const MIB = 1024 * 1024;

function world() {
  const clock = new ManualClock();
  const usage: Usage = { residentBytes: 100 * MIB, processorMs: 0 };
  let collected = 0;
  new MemoryTrimmer(
    clock,
    () => ({ ...usage }),
    () => {
      collected++;
    },
  ).start();
  return { clock, usage, collected: () => collected };
}

test("memory is given back when work has ended, and not again without work", async () => {
  const { clock, usage, collected } = world();
  usage.processorMs += 1_000;
  await clock.advance(5_000);
  expect(collected()).toBe(0);
  await clock.advance(5_500);
  expect(collected()).toBe(2);
  await clock.advance(600_000);
  expect(collected()).toBe(2);
});

test("memory is given back in the middle of work when the process has grown", async () => {
  const { clock, usage, collected } = world();
  for (let growth = 0; growth < 3; growth++) {
    usage.processorMs += 1_000;
    usage.residentBytes += 5 * MIB;
    await clock.advance(5_000);
  }
  await clock.advance(500);
  expect(collected()).toBe(2);
});

test("collections that take long come seldom", async () => {
  const clock = new ManualClock();
  let residentBytes = 0;
  let collected = 0;
  const usage = (): Usage => ({ residentBytes: (residentBytes += 20 * MIB), processorMs: 0 });
  const collect = (): void => {
    collected++;
    clock.passWhileRunning(500);
  };
  new MemoryTrimmer(clock, usage, collect).start();
  await clock.advance(600_000);
  expect(collected * 500).toBeLessThanOrEqual(600_000 * 0.011);
  expect(collected).toBeGreaterThanOrEqual(4);
});

test("a worker that only answers pings collects nothing", async () => {
  const { clock, usage, collected } = world();
  for (let turn = 0; turn < 100; turn++) {
    usage.processorMs += 10;
    await clock.advance(5_000);
  }
  expect(collected()).toBe(0);
});
