// Unique numbers and texts.
import { randomBytes } from "node:crypto";

// A block of numbers for each worker process, so that concurrent test files do not collide.
let next = (process.pid % 5000) * 10_000;

/** A possible Indonesian number: 628 and nine digits, ending in none of the simulator's codes. */
export function freshNumber(): string {
  next += 1;
  return `6281${String(next).padStart(8, "0")}7`;
}

/** A recipient on which the simulator plays `code`: "991001", "995000", ... */
export function simulated(code: string): string {
  next += 1;
  return `628${String(next % 100_000).padStart(5, "0")}${code}`;
}

/** Every message text of the suite carries this word, which no log and no metric may contain. */
export const CANARY = "kenari";

export function freshText(about = "pesan"): string {
  return `${CANARY} ${about} ${randomBytes(6).toString("hex")}`;
}
