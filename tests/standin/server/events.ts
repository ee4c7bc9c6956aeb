// A log of events in their order. Tests wait for events instead of sleeping.

export interface Event {
  sequence: number;
  type: string;
  /** The number of the account that the event is about. */
  number?: string | undefined;
  [detail: string]: unknown;
}

export type Matcher = (event: Event) => boolean;

interface Waiter {
  matches: Matcher;
  resolve(event: Event): void;
}

export class Events {
  readonly all: Event[] = [];
  private waiters: Waiter[] = [];

  add(type: string, details: Record<string, unknown> = {}): void {
    const event: Event = { sequence: this.all.length + 1, type, ...details };
    this.all.push(event);
    const woken = this.waiters.filter(({ matches }) => matches(event));
    this.waiters = this.waiters.filter((waiter) => !woken.includes(waiter));
    for (const waiter of woken) waiter.resolve(event);
  }

  /** The sequence of the newest event. */
  get last(): number {
    return this.all.length;
  }

  after(sequence: number, matches: Matcher = () => true): Event[] {
    return this.all.slice(sequence).filter(matches);
  }

  /** Waits for the first event after `sequence` that matches; rejects after `deadline` ms. */
  async wait(what: string, matches: Matcher, sequence = 0, deadline = 15_000): Promise<Event> {
    const [past] = this.after(sequence, matches);
    if (past) return past;
    let timer: NodeJS.Timeout | undefined;
    let waiter: Waiter | undefined;
    try {
      return await new Promise<Event>((resolve, reject) => {
        waiter = { matches, resolve };
        this.waiters.push(waiter);
        timer = setTimeout(() => reject(new Error(`${what}: not within ${deadline} ms`)), deadline);
      });
    } finally {
      clearTimeout(timer);
      this.waiters = this.waiters.filter((other) => other !== waiter);
    }
  }
}
