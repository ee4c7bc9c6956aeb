// Days in the reader's time zone; the gateway counts usage by an offset from UTC.
import type { UsageRow } from "../api/types.ts";

export interface Day {
  day: string; // "2026-11-22"
  sent: number;
  failed: number;
}

const DAY = 86_400_000;

/** The offset of this browser's time zone: "+07:00". */
export function offsetOf(now: number): string {
  const minutes = -new Date(now).getTimezoneOffset();
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
}

/** The start of the first of `days` days, of which today is the last, and the zone's offset. */
export function rangeOf(days: number, now: number): { since: string; offset: string } {
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - days + 1);
  return { since: start.toISOString(), offset: offsetOf(now) };
}

/** One row for each day, also for days without messages. */
export function daysOf(rows: UsageRow[], days: number, now: number): Day[] {
  const known = new Map(rows.map((row) => [row.day, row]));
  return Array.from({ length: days }, (_, place) => {
    const local = new Date(now - (days - 1 - place) * DAY);
    const two = (value: number) => String(value).padStart(2, "0");
    const day = `${local.getFullYear()}-${two(local.getMonth() + 1)}-${two(local.getDate())}`;
    const row = known.get(day);
    return { day, sent: row?.sent ?? 0, failed: row?.failed ?? 0 };
  });
}

interface Totals {
  sent: number;
  failed: number;
  reason: UsageRow | undefined; // The code of most failures.
}

/** The totals of rows by code. */
export function totalsOf(rows: UsageRow[]): Totals {
  const sum = (name: "sent" | "failed") => rows.reduce((total, row) => total + row[name], 0);
  const failing = rows.filter((row) => row.failed > 0).sort((a, b) => b.failed - a.failed);
  return { sent: sum("sent"), failed: sum("failed"), reason: failing[0] };
}
