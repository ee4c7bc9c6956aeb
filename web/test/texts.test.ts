import { expect, test } from "vitest";
import { formatFor } from "../src/texts/format.ts";
import { textsOf } from "../src/texts/index.tsx";

/** Every text by its path; functions called with their own names as parameters. */
function flat(texts: object, path = ""): [string, string][] {
  return Object.entries(texts).flatMap(([name, value]): [string, string][] => {
    const where = `${path}.${name}`;
    if (typeof value === "string") return [[where, value]];
    if (typeof value === "function") return [[where, String(value("«1»", "«2»"))]];
    return flat(value as object, where);
  });
}

test("both languages have the same texts, and none is empty", () => {
  const [indonesian, english] = [flat(textsOf("id")), flat(textsOf("en"))];
  expect(english.map(([path]) => path)).toEqual(indonesian.map(([path]) => path));
  for (const [path, text] of [...indonesian, ...english]) expect(text, path).not.toBe("");
});

test("what is put into a text stands in both languages", () => {
  const english = new Map(flat(textsOf("en")));
  for (const [path, text] of flat(textsOf("id"))) {
    expect(english.get(path)?.includes("«1»"), path).toBe(text.includes("«1»"));
  }
});

test("numbers and durations are written as the language does", () => {
  expect(formatFor("id").number(12840)).toBe("12.840");
  expect(formatFor("en").number(12840)).toBe("12,840");
  expect(formatFor("id").duration(1500)).toBe("1,5 s");
  expect(formatFor("en").duration(112)).toBe("112 ms");
});

test("how long ago takes the largest unit that fits", () => {
  const now = Date.parse("2026-11-22T10:00:00Z");
  const { ago } = formatFor("en");
  expect(ago("2026-11-22T09:59:30Z", now)).toBe("30 seconds ago");
  expect(ago("2026-11-22T08:00:00Z", now)).toBe("2 hours ago");
  expect(ago("2026-11-22T10:05:00Z", now)).toBe("in 5 minutes");
});
