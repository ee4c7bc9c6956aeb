import { expect, test } from "vitest";
import { formatFor } from "../src/texts/format.ts";
import { looksLikeNumber, phoneNumber } from "../src/ui/phone_number.ts";
import { countText, sumOf } from "../src/ui/waiting.ts";

test.each([
  ["081234567890", "6281234567890"],
  ["0812-3456-7890", "6281234567890"],
  ["+62 812 3456 7890", "6281234567890"],
  ["62 (812) 3456.7890", "6281234567890"],
  ["006281234567890", "6281234567890"],
  ["7890", "7890"],
  ["", ""],
  ["halo", ""],
])("'%s' is the number '%s'", (typed, number) => {
  expect(phoneNumber(typed)).toBe(number);
});

test("a number is told from other text", () => {
  for (const text of ["0812", "+62 812-3456", "(0812) 3456"])
    expect(looksLikeNumber(text)).toBe(true);
  for (const text of ["081", "kasir 1234", "", "callbacks"])
    expect(looksLikeNumber(text)).toBe(false);
});

test("a count that is not complete says so, in sums too", () => {
  const format = formatFor("en");
  const queues = [{ waiting: 10_000, waiting_more: true }, { waiting: 3, waiting_more: false }, {}];
  expect(countText(sumOf(queues), format)).toBe("10,003+");
  expect(countText({ waiting: 3 }, format)).toBe("3");
  expect(sumOf([{}])).toEqual({});
});
