// Something that changes, and what waits for it to have changed far enough.

const deadline = 15_000;

export class Changes {
  private waiters: (() => void)[] = [];

  /** Something changed: those who wait look again. */
  happened(): void {
    const woken = this.waiters;
    this.waiters = [];
    for (const resolve of woken) resolve();
  }

  /** What `look` finds, as soon as it finds something. */
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
