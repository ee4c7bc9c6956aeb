// What the platform does wrong on command with the messages that companions send.

export const actions = [
  "refuse", // Answers with an error, 463 or 479 for instance, and delivers nothing.
  "hold_ack", // Delivers, and answers when `release` says so.
  "lose_ack", // Delivers, and never answers.
  "lose", // Neither delivers nor answers.
  "drop_before", // Ends the connection, and delivers nothing.
  "drop_after", // Delivers, and ends the connection in place of an answer.
] as const;
export type Action = (typeof actions)[number];

export interface Fault {
  action: Action;
  /** The error of `refuse`. */
  code?: number;
  /** Only messages from, or to, these numbers. */
  from?: string;
  to?: string;
  /** How many messages it is for; 1 unless told. */
  times?: number;
}

export class Faults {
  private rules: (Fault & { left: number })[] = [];
  private held: (() => void)[] = [];

  add(fault: Fault): void {
    if (!actions.includes(fault.action)) throw new Error(`no fault is called ${fault.action}`);
    this.rules.push({ ...fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.rules = [];
  }

  /** The fault of the next message from one number to another. */
  take(from: string, to: string | undefined): Fault | undefined {
    const rule = this.rules.find(
      (each) =>
        (each.from === undefined || each.from === from) &&
        (each.to === undefined || each.to === to),
    );
    if (rule && --rule.left <= 0) this.rules = this.rules.filter((each) => each !== rule);
    return rule;
  }

  hold(ack: () => void): void {
    this.held.push(ack);
  }

  /** Sends the acknowledgements that `hold_ack` kept; answers how many. */
  release(): number {
    const held = this.held;
    this.held = [];
    for (const ack of held) ack();
    return held.length;
  }
}
