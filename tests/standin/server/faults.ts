// Faults on command, in the handling of messages from companions.

export const actions = [
  "refuse", // Answers with an error, for instance 463 or 479, and delivers nothing.
  "hold_ack", // Delivers, and answers when `release` is called.
  "lose_ack", // Delivers, and never answers.
  "lose", // Neither delivers nor answers.
  "drop_before", // Ends the connection, and delivers nothing.
  "drop_after", // Delivers, and ends the connection instead of answering.
] as const;
export type Action = (typeof actions)[number];

export interface Fault {
  action: Action;
  /** The error of `refuse`. */
  code?: number;
  /** Limits the fault to messages from or to these numbers. */
  from?: string;
  to?: string;
  /** How many messages the fault affects; default: 1. */
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

  /** The fault for this message, if any; counts the message. */
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

  /** Sends the acknowledgements that `hold_ack` held back; returns how many. */
  release(): number {
    const held = this.held;
    this.held = [];
    for (const ack of held) ack();
    return held.length;
  }
}
