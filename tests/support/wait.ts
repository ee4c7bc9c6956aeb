// Waits for conditions and promises, always with a deadline.

/** Resolves with the first truthy result of `probe`; rejects after `deadline` milliseconds. */
export async function waitFor<T>(
  what: string,
  probe: () => T | Promise<T>,
  deadline = 15_000,
): Promise<NonNullable<T>> {
  const end = Date.now() + deadline;
  for (;;) {
    const began = Date.now();
    const found = await probe();
    if (found) return found;
    if (Date.now() >= end) throw new Error(`waited ${deadline} ms in vain for ${what}`);
    // A probe that runs a command would otherwise keep a whole core busy.
    await pause(Math.min(Math.max(20, 2 * (Date.now() - began)), 500));
  }
}

/** The time between two polls of a state that has no event. Do not use it to wait for the state. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Rejects if `promise` does not settle in time. */
export async function within<T>(what: string, promise: Promise<T>, deadline = 15_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${deadline} ms`)), deadline);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
