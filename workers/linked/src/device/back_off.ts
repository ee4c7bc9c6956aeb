// The growing wait between two connections.
import type { Chance } from "../clock.js";

const FIRST_MS = 1_000;
const MAX_MS = 60_000;
// A connection that held so long was a good one.
const HEALTHY_MS = 60_000;

export class BackOff {
  private failures = 0;

  constructor(private readonly chance: Chance) {}

  /// The next wait: from 1 s to 60 s, half of it by chance.
  next(): number {
    const whole = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(this.failures, 10));
    this.failures++;
    return Math.round(whole * (0.5 + this.chance() / 2));
  }

  /// A connection ended that was open for so long.
  held(ms: number): void {
    if (ms >= HEALTHY_MS) {
      this.failures = 0;
    }
  }

  reset(): void {
    this.failures = 0;
  }
}
