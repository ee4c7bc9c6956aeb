// Formats times and numbers for a language.
import type { Language } from "./index.tsx";

export interface Format {
  number: (value: number) => string;
  percent: (share: number) => string;
  dateTime: (time: string) => string;
  day: (time: string) => string;
  minute: (time: string) => string; // Of a day in this year.
  clock: (time: string) => string; // With seconds, because two events may have the same minute.
  ago: (time: string, now: number) => string;
  duration: (milliseconds: number) => string;
  span: (seconds: number) => string; // In its two largest units.
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

export function formatFor(language: Language): Format {
  const locale = language === "id" ? "id-ID" : "en-GB";
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
  const clock = new Intl.DateTimeFormat(locale, {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  const minute = new Intl.DateTimeFormat(locale, {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  const counted = (value: number, unit: string) =>
    new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(value);
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  return {
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    dateTime: (time) => dateTime.format(new Date(time)),
    day: (time) => day.format(new Date(time)),
    minute: (time) => minute.format(new Date(time)),
    clock: (time) => clock.format(new Date(time)),
    ago: (time, now) => {
      const difference = new Date(time).getTime() - now;
      const unit = UNITS.find(([, length]) => Math.abs(difference) >= length) ?? UNITS[3];
      return unit ? relative.format(Math.round(difference / unit[1]), unit[0]) : "";
    },
    duration: (milliseconds) => {
      if (milliseconds < 1000) return `${number.format(Math.round(milliseconds))} ms`;
      return `${number.format(Math.round(milliseconds / 100) / 10)} s`;
    },
    span: (seconds) => {
      if (seconds < 60) return counted(Math.ceil(seconds), "second");
      const minutes = Math.ceil(seconds / 60);
      const parts: [number, string][] = [
        [Math.floor(minutes / 1440), "day"],
        [Math.floor(minutes / 60) % 24, "hour"],
        [minutes % 60, "minute"],
      ];
      const first = parts.findIndex(([value]) => value > 0);
      const shown = parts.slice(first, first + 2).filter(([value]) => value > 0);
      return shown.map(([value, unit]) => counted(value, unit)).join(" ");
    },
  };
}
