// The time that a person needs to type a text.
import type { Chance } from "../clock.js";

const MS_A_CHARACTER = 45;
const MS_MIN = 800;
const MS_MAX = 12_000;

/// Varies by a quarter in both directions, for a text of this length.
export function typingTime(characters: number, chance: Chance): number {
  const ms = MS_MIN + characters * MS_A_CHARACTER * (0.75 + chance() / 2);
  return Math.round(Math.min(ms, MS_MAX));
}
