// Waiting for things that happen elsewhere: always for the thing itself, never for a while.

/** Resolves with the first truthy answer of `probe`; throws after `deadline` milliseconds. */
export async function waitFor<T>(
  what: string,
  probe: () => T | Promise<T>,
  deadline = 15_000,
): Promise<NonNullable<T>> {
  const end = Date.now() + deadline;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() >= end) throw new Error(`waited ${deadline} ms in vain for ${what}`);
    await pause(20);
  }
}

/** The distance between two looks at something that cannot tell us; not a way to wait for it. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Fails when `promise` is not settled in time. */
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
