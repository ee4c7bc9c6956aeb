// Numbers of recipients as people type and paste them.
import { phoneNumber } from "../../ui/phone_number.ts";

export const RECIPIENTS_MAX = 10;

const DIGITS_MIN = 8;
const DIGITS_MAX = 15;
const SEPARATORS = /[,;\n\r\t]+/;

export type Fault = "letters" | "short" | "long" | "many" | "none";

/** The number in international form, or what is wrong with the text. */
export type Checked = { number: string; fault?: never } | { fault: Fault; number?: never };

export function checkNumber(typed: string): Checked {
  if (!/^\+?[\d\s().\-/]*$/.test(typed.trim())) return { fault: "letters" };
  const number = phoneNumber(typed);
  if (number.length < DIGITS_MIN || number.startsWith("0")) return { fault: "short" };
  return number.length > DIGITS_MAX ? { fault: "long" } : { number };
}

/** Whether the text has several numbers, or ends one. */
export function hasSeparator(typed: string): boolean {
  return SEPARATORS.test(typed);
}

export interface Added {
  to: string[];
  typed: string; // What could not be added, so that nothing typed is lost.
  fault?: Fault | undefined; // Of the first of it.
}

/** Adds the numbers in the text, each once. */
export function addRecipients(to: readonly string[], typed: string): Added {
  const all = [...to];
  const left: string[] = [];
  let first: Fault | undefined;
  for (const part of typed.split(SEPARATORS).map((one) => one.trim())) {
    if (!part) continue;
    const { number, fault } = checkNumber(part);
    if (number && all.includes(number)) continue;
    if (number && all.length < RECIPIENTS_MAX) {
      all.push(number);
      continue;
    }
    left.push(part);
    first ??= fault ?? "many";
  }
  return { to: all, typed: left.join(", "), fault: first };
}
