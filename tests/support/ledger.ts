// What was asked, what was promised, what happened: the books of the crash test.
import type { Attempt } from "./simulator.ts";

export interface LedgerTotals {
  accepted: number;
  unanswered: number;
  sent: number;
  failed: number;
  waiting: number;
  lost: number;
  duplicates: number;
  callbacks: number;
  callbacksLost: number;
}

/** Kept outside the gateway's process, so that no kill can falsify it. */
export class Ledger {
  readonly accepted = new Map<string, string>(); // requestId -> text
  readonly unanswered = new Set<string>(); // Texts whose answer the kill cut off.

  answered(requestId: string, text: string): void {
    if (this.accepted.has(requestId)) throw new Error(`requestId ${requestId} was given twice`);
    this.accepted.set(requestId, text);
  }

  cutOff(text: string): void {
    this.unanswered.add(text);
  }

  /** Holds the books against the platform's record, the store and the callbacks received. */
  totals(attempts: Attempt[], states: Map<string, string>, calledBack: Set<string>): LedgerTotals {
    const arrivals = new Map<string, number>();
    for (const attempt of attempts) {
      if (attempt.result !== "sent") continue;
      arrivals.set(attempt.body, (arrivals.get(attempt.body) ?? 0) + 1);
    }
    const totals: LedgerTotals = {
      accepted: this.accepted.size,
      unanswered: this.unanswered.size,
      sent: 0,
      failed: 0,
      waiting: 0,
      lost: 0,
      duplicates: [...arrivals.values()].reduce((sum, count) => sum + count - 1, 0),
      callbacks: 0,
      callbacksLost: 0,
    };
    for (const [id, text] of this.accepted) {
      const state = states.get(id);
      // A message that the store calls sent and the platform never saw is lost as well.
      if (state === "sent" && arrivals.has(text)) totals.sent += 1;
      else if (state === "failed") totals.failed += 1;
      else if (state === "pending" || state === "sending") totals.waiting += 1;
      else totals.lost += 1;
      if (state !== "sent" && state !== "failed") continue;
      if (calledBack.has(id)) totals.callbacks += 1;
      else totals.callbacksLost += 1;
    }
    return totals;
  }
}
