import { afterEach, beforeEach, expect, test } from "vitest";
import { rangeNamed } from "../src/features/messages/time_ranges.ts";
import { parseDay, partsOf, withDay, withTime } from "../src/ui/moment.ts";

const ZONE = process.env["TZ"];
beforeEach(() => {
  process.env["TZ"] = "Asia/Jakarta";
});
afterEach(() => {
  process.env["TZ"] = ZONE ?? "UTC";
});

const now = Date.parse("2026-11-22T03:00:00Z");

test.each([
  ["22/11/2026", "2026-11-22"],
  ["2-1-2026", "2026-01-02"],
  ["22.11", "2026-11-22"],
  ["2026-11-05", "2026-11-05"],
  ["5 Nov", "2026-11-05"],
  ["17 Agustus 2025", "2025-08-17"],
  ["17 August 2025", "2025-08-17"],
  ["3 okt 2026", "2026-10-03"],
  ["3 Oct 2026", "2026-10-03"],
  [" Kemarin ", "2026-11-21"],
  ["today", "2026-11-22"],
  ["29/02/2028", "2028-02-29"],
])("%s is the day %s", (typed, day) => {
  expect(parseDay(typed, now)).toBe(day);
});

test.each([
  "",
  "2",
  "22/",
  "22/11/2",
  "22/11/20",
  "22/11/202",
  "31/02/2026",
  "0/1/2026",
  "1/13",
  "x",
])("'%s' is no day", (typed) => {
  expect(parseDay(typed, now)).toBeNull();
});

test("a year that is typed digit by digit leaves the time of day as it was", () => {
  let value = withTime(withDay("", "2026-11-22", false), "10:30");
  for (const typed of ["2", "20", "202", "2025"]) {
    const day = parseDay(`22/11/${typed}`, now);
    if (day) value = withDay(value, day, false);
  }
  expect(partsOf(value)).toEqual({ day: "2025-11-22", time: "10:30" });
  // Jakarta's offset was +07:07:12 then.
  expect(partsOf(withDay(value, "0202-11-22", false))?.time).toBe("10:30");
});

test("a day without a time is its start, or as an end its last second", () => {
  expect(withDay("", "2026-11-22", false)).toBe("2026-11-21T17:00:00.000Z");
  expect(withDay("", "2026-11-22", true)).toBe("2026-11-22T16:59:59.000Z");
});

test("another day keeps the seconds", () => {
  expect(withDay("2027-06-30T16:59:59.000Z", "2027-07-01", true)).toBe("2027-07-01T16:59:59.000Z");
});

test("what is no time has no parts", () => {
  expect(partsOf("")).toBeUndefined();
  expect(partsOf("soon")).toBeUndefined();
});

test("yesterday ends before today begins", () => {
  expect(rangeNamed("yesterday", now)).toEqual({
    since: "2026-11-20T17:00:00.000Z",
    until: "2026-11-21T16:59:59.000Z",
  });
  expect(rangeNamed("today", now).since).toBe("2026-11-21T17:00:00.000Z");
  expect(rangeNamed("week", now).since).toBe("2026-11-15T17:00:00.000Z");
  expect(rangeNamed("month", now).since).toBe("2026-10-31T17:00:00.000Z");
});
