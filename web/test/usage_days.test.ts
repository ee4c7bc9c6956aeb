import { afterEach, expect, test } from "vitest";
import { daysOf, offsetOf, rangeOf, totalsOf } from "../src/features/usage/usage_days.ts";

const ZONE = process.env["TZ"];
afterEach(() => {
  process.env["TZ"] = ZONE ?? "UTC";
});

const noon = new Date(2026, 10, 22, 12).getTime();

const row = (day: string, sent: number, failed: number, account = "acc_1") => ({
  account,
  day,
  sent,
  failed,
  cancelled: 0,
});

test("each day has a row, and today is the last", () => {
  expect(daysOf([row("2026-11-21", 3, 1)], 3, noon)).toEqual([
    { day: "2026-11-20", sent: 0, failed: 0 },
    { day: "2026-11-21", sent: 3, failed: 1 },
    { day: "2026-11-22", sent: 0, failed: 0 },
  ]);
});

test("a day has the sum of all accounts", () => {
  const rows = [row("2026-11-22", 3, 1), row("2026-11-22", 40, 0, "acc_2")];
  expect(daysOf(rows, 1, noon)).toEqual([{ day: "2026-11-22", sent: 43, failed: 1 }]);
});

test("the reason of most failures is that of all accounts together", () => {
  const failed = (account: string, code: number, count: number) => ({
    ...row("2026-11-22", 0, count, account),
    code,
  });
  const rows = [failed("acc_1", 500, 5), failed("acc_1", 1001, 3), failed("acc_2", 1001, 4)];
  expect(totalsOf(rows)).toEqual({ sent: 0, failed: 12, reason: 1001 });
  expect(totalsOf([row("2026-11-22", 1, 0)]).reason).toBeUndefined();
});

test("a range begins with a day of the reader's calendar", () => {
  const { since, offset } = rangeOf(7, noon);
  expect(new Date(since).getTime()).toBe(new Date(2026, 10, 16).getTime());
  expect(offset).toBe(offsetOf(noon));
  expect(offset).toMatch(/^[+-]\d{2}:\d{2}$/);
});

test.each([
  ["Asia/Jakarta", "2026-11-22T01:00:00Z"],
  ["Europe/Berlin", "2026-10-25T22:30:00Z"], // The day that has 25 hours.
  ["Europe/Berlin", "2026-10-26T23:30:00Z"],
  ["Europe/Berlin", "2026-03-29T22:30:00Z"], // The day that has 23 hours.
  ["America/St_Johns", "2026-11-02T02:00:00Z"],
  ["Asia/Kathmandu", "2026-11-22T18:20:00Z"],
])(
  "in %s no day is doubled or missing, and each is a day that the gateway counts",
  (zone, time) => {
    process.env["TZ"] = zone;
    const now = Date.parse(time);
    const days = daysOf([], 30, now).map(({ day }) => day);
    expect(new Set(days).size).toBe(30);
    // The gateway counts by this offset, from this time.
    const { since, offset } = rangeOf(30, now);
    expect(new Date(`${days[0]}T00:00:00${offset}`).toISOString()).toBe(since);
    expect(new Date(`${days[29]}T00:00:00${offset}`).getTime()).toBeLessThanOrEqual(now);
    expect(new Date(`${days[29]}T23:59:59.999${offset}`).getTime()).toBeGreaterThanOrEqual(now);
  },
);
