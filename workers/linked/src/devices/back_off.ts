// The growing wait between two attempts to connect.
import type { Chance } from "../process/clock.js";

const FIRST_MS = 1_000;
const MAX_MS = 60_000;
// A connection that stayed open this long resets the back-off.
const HEALTHY_MS = 60_000;

export class BackOff {
  private failures = 0;

  constructor(private readonly chance: Chance) {}

  /// The next wait: 1 s, doubled with each failure up to 60 s, less a random share of up to a half.
  next(): number {
    const whole = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(this.failures, 10));
    this.failures++;
    return Math.round(whole * (0.5 + this.chance() / 2));
  }

  /// Call when a connection ended that was open for `ms` milliseconds.
  held(ms: number): void {
    if (ms >= HEALTHY_MS) {
      this.failures = 0;
    }
  }
}
