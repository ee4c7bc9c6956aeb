// Times of the app's date fields: instants in the gateway's form, days and times of day in the
// reader's time zone.
import type { Language } from "../texts/language.ts";

/** A day, "2026-11-22", and a time of day, "10:30". */
export interface Parts {
  day: string;
  time: string;
}

/** The parts of an instant; undefined: none, or not a time. */
export function partsOf(instant: string): Parts | undefined {
  const at = new Date(instant || Number.NaN);
  if (Number.isNaN(at.getTime())) return undefined;
  return { day: dayOf(at), time: `${two(at.getHours())}:${two(at.getMinutes())}` };
}

/** The instant with another day. Without an instant before: the day's start, or its end. */
export function withDay(instant: string, day: string, atEnd: boolean): string {
  const at = new Date(instant || Number.NaN);
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  if (Number.isNaN(at.getTime())) {
    const time = atEnd ? ([23, 59, 59] as const) : ([0, 0, 0] as const);
    return new Date(year, month - 1, date, ...time).toISOString();
  }
  at.setFullYear(year, month - 1, date);
  return at.toISOString();
}

/** The instant with another time of day, of which the seconds are zero. */
export function withTime(instant: string, time: string): string {
  const at = new Date(instant);
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  at.setHours(hours, minutes, 0, 0);
  return at.toISOString();
}

const MONTHS: Record<Language, string[]> = {
  id: ["jan", "feb", "mar", "apr", "mei", "jun", "jul", "agu", "sep", "okt", "nov", "des"],
  en: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};

// Days from today, by the words for them.
const NEAR: Record<string, number> = {
  "hari ini": 0,
  kemarin: -1,
  besok: 1,
  today: 0,
  yesterday: -1,
  tomorrow: 1,
};

const NUMBERS = /^(\d{1,2})[/. -](\d{1,2})(?:[/. -](\d{4}))?$/; // The day first, in both languages.
const NAMED = /^(\d{1,2})[ -]?([a-z]{3})[a-z]*\.?(?:[ -](\d{4}))?$/;
const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;

/**
 * The day that a person typed: "22/11/2026", "22-11" of this year, "22 Nov", "kemarin". Null: it is
 * not a day, or not all of one.
 */
export function parseDay(typed: string, now: number): string | null {
  const text = typed.trim().toLowerCase();
  const today = new Date(now);
  const near = NEAR[text];
  if (near !== undefined) {
    return dayOf(new Date(today.getFullYear(), today.getMonth(), today.getDate() + near));
  }
  const iso = ISO.exec(text);
  if (iso) return existing(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const numbers = NUMBERS.exec(text);
  const named = NAMED.exec(text);
  const [, day, month, year] = numbers ?? named ?? [];
  if (!day || !month) return null;
  const index = numbers ? Number(month) : monthNamed(month);
  return existing(Number(year ?? today.getFullYear()), index, Number(day));
}

function monthNamed(name: string): number {
  return Math.max(MONTHS.id.indexOf(name), MONTHS.en.indexOf(name)) + 1;
}

function existing(year: number, month: number, day: number): string | null {
  const at = new Date(year, month - 1, day);
  at.setFullYear(year); // Else the years before 100 are of another century.
  return at.getMonth() === month - 1 && at.getDate() === day ? dayOf(at) : null;
}

function dayOf(at: Date): string {
  const year = String(at.getFullYear()).padStart(4, "0");
  return `${year}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

const two = (value: number) => String(value).padStart(2, "0");
