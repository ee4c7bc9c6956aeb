// The platform's acknowledgements of sent messages.
import type { Clock } from "../process/clock.js";

export type Verdict =
  | { kind: "taken" }
  | { kind: "refused"; code: string }
  | { kind: "unknown"; why: "time" | "closed" };

interface Expected {
  settle: (verdict: Verdict) => void;
}

/// Waits for the acknowledgements of messages.
///
/// Operation: call `expect` before the message leaves, so that no acknowledgement can be missed.
/// Its promise never rejects. `taken` and `refused` return whether somebody waited for that id.
export class Acks {
  private readonly expected = new Map<string, Expected>();

  constructor(private readonly clock: Clock) {}

  expect(id: string): { verdict: Promise<Verdict>; startTimer: (ms: number) => void } {
    this.expected.get(id)?.settle({ kind: "unknown", why: "closed" });
    let cancel = (): void => {};
    let settle: (verdict: Verdict) => void = () => {};
    const verdict = new Promise<Verdict>((resolve) => {
      settle = (said) => {
        cancel();
        if (this.expected.get(id) === mine) {
          this.expected.delete(id);
        }
        resolve(said);
      };
    });
    const mine: Expected = { settle };
    this.expected.set(id, mine);
    const startTimer = (ms: number): void => {
      cancel = this.clock.after(ms, () => settle({ kind: "unknown", why: "time" }));
    };
    return { verdict, startTimer };
  }

  taken(id: string): boolean {
    return this.settle(id, { kind: "taken" });
  }

  refused(id: string, code: string): boolean {
    return this.settle(id, { kind: "refused", code });
  }

  /// The connection is gone: settles everything that still waits as unknown.
  closed(): void {
    for (const waiting of [...this.expected.values()]) {
      waiting.settle({ kind: "unknown", why: "closed" });
    }
  }

  private settle(id: string, verdict: Verdict): boolean {
    const waiting = this.expected.get(id);
    waiting?.settle(verdict);
    return waiting !== undefined;
  }
}
