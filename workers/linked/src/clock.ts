// Time and chance, as the worker is given them.

export interface Clock {
  /// Milliseconds since 1970.
  now(): number;
  /// Runs `then` after so many milliseconds, unless the function that it returns is called before.
  after(ms: number, then: () => void): () => void;
}

/// From 0 up to, but without, 1.
export type Chance = () => number;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/// Waits, and no longer than until `signal` is aborted. Never rejects.
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

/// Resolves when the work is done, or after so many milliseconds without it. Never rejects.
export async function atMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  const controller = new AbortController();
  const done = work.then(
    () => controller.abort(),
    () => controller.abort(),
  );
  await Promise.race([done, pause(clock, ms, controller.signal)]);
}
