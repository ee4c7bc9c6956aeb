// Days in the reader's time zone; the gateway counts usage by an offset from UTC.
import type { UsageRow } from "../../api/types.ts";
import type { Day } from "../../ui/chart.tsx";

const DAY = 86_400_000;

/** The offset of this browser's time zone: "+07:00". */
export function offsetOf(now: number): string {
  const minutes = -new Date(now).getTimezoneOffset();
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
}

/** Midnight of the day with this time, in the zone with this offset. */
function midnight(time: number, offset: string): number {
  const shift = shiftOf(offset);
  return Math.floor((time + shift) / DAY) * DAY - shift;
}

function shiftOf(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(":").map(Number);
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/**
 * The start of the first of `days` days, of which today is the last, and the zone's offset. All
 * days have the offset of today, as those that the gateway counts.
 */
export function rangeOf(days: number, now: number): { since: string; offset: string } {
  const offset = offsetOf(now);
  const since = midnight(now, offset) - (days - 1) * DAY;
  return { since: new Date(since).toISOString(), offset };
}

/** How many days this month has had, with today. */
export function daysOfMonth(now: number): number {
  return new Date(now).getDate();
}

/** One row for each day, also for days without messages, with the sum of all accounts. */
export function daysOf(rows: UsageRow[], days: number, now: number): Day[] {
  const offset = offsetOf(now);
  const first = midnight(now, offset) - (days - 1) * DAY + shiftOf(offset);
  const empty = Array.from({ length: days }, (_, place) => {
    const day = new Date(first + place * DAY).toISOString().slice(0, "2026-11-22".length);
    return { day, sent: 0, failed: 0 };
  });
  const byDay = new Map(empty.map((one) => [one.day, one]));
  for (const row of rows) {
    const one = byDay.get(row.day ?? "");
    if (!one) continue;
    one.sent += row.sent;
    one.failed += row.failed;
  }
  return empty;
}

interface Totals {
  sent: number;
  failed: number;
  reason: number | undefined; // The code of most failures.
}

/** The totals of rows by code. */
export function totalsOf(rows: UsageRow[]): Totals {
  const sum = (name: "sent" | "failed") => rows.reduce((total, row) => total + row[name], 0);
  const failed = new Map<number | undefined, number>(); // By code: several accounts may have one.
  for (const row of rows) failed.set(row.code, (failed.get(row.code) ?? 0) + row.failed);
  const [most] = [...failed].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  return { sent: sum("sent"), failed: sum("failed"), reason: most?.[0] };
}
