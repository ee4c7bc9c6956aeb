import { expect, test } from "vitest";
import { StartRate } from "../src/devices/start_rate.js";
import { ManualClock, settle } from "./support/manual_clock.js";

function world() {
  const clock = new ManualClock();
  const rate = new StartRate(clock, 4);
  const begun: number[] = [];
  const enter = (device: number, signal = new AbortController().signal): void => {
    void rate.enter(signal).then(() => begun.push(device));
  };
  return { clock, begun, enter };
}

test("many devices connect at their rate, in their order", async () => {
  const { clock, begun, enter } = world();
  for (let device = 1; device <= 20; device++) {
    enter(device);
  }
  await settle();
  expect(begun).toEqual([1, 2, 3, 4]);
  await clock.advance(250);
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  await clock.advance(10_000);
  expect(begun).toHaveLength(20);
});

test("one that is stopped while it waits costs nothing", async () => {
  const { clock, begun, enter } = world();
  const stopped = new AbortController();
  for (let device = 1; device <= 4; device++) {
    enter(device);
  }
  enter(5, stopped.signal);
  enter(6);
  stopped.abort();
  await clock.advance(250);
  expect(begun).toEqual([1, 2, 3, 4, 5, 6]);
});
