import { expect, test } from "vitest";
import { daysOf, offsetOf, rangeOf } from "../src/pages/usage_days.ts";

const noon = new Date(2026, 10, 22, 12).getTime();

test("each day has a row, and today is the last", () => {
  const rows = [{ account: "acc_1", day: "2026-11-21", sent: 3, failed: 1, cancelled: 0 }];
  expect(daysOf(rows, 3, noon)).toEqual([
    { day: "2026-11-20", sent: 0, failed: 0 },
    { day: "2026-11-21", sent: 3, failed: 1 },
    { day: "2026-11-22", sent: 0, failed: 0 },
  ]);
});

test("a range begins with a day of the reader's calendar", () => {
  const { since, offset } = rangeOf(7, noon);
  expect(new Date(since).getTime()).toBe(new Date(2026, 10, 16).getTime());
  expect(offset).toBe(offsetOf(noon));
  expect(offset).toMatch(/^[+-]\d{2}:\d{2}$/);
});
