// The worker's sources of time and randomness.

export interface Clock {
  /// Milliseconds since 1970.
  now(): number;
  /// Runs `then` after `ms` milliseconds. The returned function cancels it.
  after(ms: number, then: () => void): () => void;
}

/// Returns a random number from 0 up to, but not including, 1.
export type Chance = () => number;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/// Waits `ms` milliseconds, or until `signal` is aborted. Never rejects.
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal?.addEventListener("abort", end);
  });
}

/// Resolves when `work` settles, or after `ms` milliseconds. Never rejects.
export async function atMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  const controller = new AbortController();
  const done = work.then(
    () => controller.abort(),
    () => controller.abort(),
  );
  await Promise.race([done, pause(clock, ms, controller.signal)]);
}
