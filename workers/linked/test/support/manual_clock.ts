import type { Clock } from "../../src/process/clock.js";

/// A clock that moves only by `advance`.
export class ManualClock implements Clock {
  private time = 1_790_000_000_000;
  private timers: { at: number; then: () => void }[] = [];

  now(): number {
    return this.time;
  }

  after(ms: number, then: () => void): () => void {
    const timer = { at: this.time + ms, then };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /// What runs takes so long.
  passWhileRunning(ms: number): void {
    this.time += ms;
  }

  get waiting(): number {
    return this.timers.length;
  }

  /// Moves the clock, and runs due timers in order.
  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    for (;;) {
      await settle();
      const [next] = this.timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at);
      if (!next) {
        break;
      }
      this.timers = this.timers.filter((other) => other !== next);
      this.time = Math.max(this.time, next.at);
      next.then();
    }
    this.time = Math.max(this.time, until);
    await settle();
  }
}

/// Lets pending promises and callbacks run.
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
