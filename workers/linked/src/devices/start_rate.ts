// How many devices may begin to connect in a second.
import type { Clock } from "../process/clock.js";

/// Devices begin to connect one after another, in the order of their calls, at most `perSecond` in
/// a second. After a pause, a second's worth may begin at once. So when the network comes back, or
/// the platform drops all connections, their handshakes do not take the whole processor from the
/// devices that send.
export class StartRate {
  private free: number;
  private since: number;
  private readonly waiting: { signal: AbortSignal; begin: () => void }[] = [];
  private timed = false;

  constructor(
    private readonly clock: Clock,
    public perSecond: number,
  ) {
    this.free = perSecond;
    this.since = clock.now();
  }

  /// Resolves when the caller may begin, or when `signal` is aborted and its turn came.
  enter(signal: AbortSignal): Promise<void> {
    return new Promise((begin) => {
      this.waiting.push({ signal, begin });
      this.startNext();
    });
  }

  private startNext(): void {
    const now = this.clock.now();
    const earned = (Math.max(0, now - this.since) * this.perSecond) / 1_000;
    this.free = Math.min(this.perSecond, this.free + earned);
    this.since = now;
    while (this.waiting.length > 0 && (this.waiting[0]!.signal.aborted || this.free >= 1)) {
      const next = this.waiting.shift()!;
      this.free -= next.signal.aborted ? 0 : 1;
      next.begin();
    }
    if (this.waiting.length > 0 && !this.timed) {
      this.timed = true;
      this.clock.after(Math.ceil(((1 - this.free) * 1_000) / this.perSecond), () => {
        this.timed = false;
        this.startNext();
      });
    }
  }
}
