// Waits for changes of a state, such as a client's.

const deadline = 15_000;

export class Changes {
  private waiters: (() => void)[] = [];

  /** Call after each change: all waiters look again. */
  happened(): void {
    const woken = this.waiters;
    this.waiters = [];
    for (const resolve of woken) resolve();
  }

  /** Resolves with the first defined result of `look`. */
  async until<T>(what: string, look: () => T | undefined): Promise<NonNullable<T>> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.happened();
    }, deadline);
    try {
      for (;;) {
        const found = look();
        if (found !== undefined && found !== null && found !== false) return found;
        if (late) throw new Error(`${what}: not within ${deadline} ms`);
        await new Promise<void>((resolve) => this.waiters.push(resolve));
      }
    } finally {
      clearTimeout(timer);
    }
  }
}
