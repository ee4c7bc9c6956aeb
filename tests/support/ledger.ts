// Compares the requests, answers and outcomes of a crash test.
import type { Attempt } from "./simulator.ts";

/** One request, which may be repeated under its key. */
export interface Order {
  text: string;
  key: string;
  body: object;
}

export interface LedgerTotals {
  accepted: number;
  cutOff: number; // Requests without an answer because of a kill; repeated with their keys.
  sent: number;
  failed: number;
  waiting: number;
  lost: number; // Accepted, but neither sent, failed nor waiting.
  unexpected: number; // Stored or sent, but never accepted.
  duplicates: number; // Repeats that reached the platform.
  callbacksLost: number;
  callbacksRepeated: number;
}

interface Stored {
  id: string;
  state: string;
}
interface Told {
  requestId: string;
  status: string;
}

/** Lives outside the gateway's process, so that no kill can affect it. */
export class Ledger {
  readonly accepted = new Map<string, string>(); // requestId -> text
  private cutOffs = 0;

  answered(requestId: string, text: string): void {
    if (this.accepted.has(requestId)) throw new Error(`requestId ${requestId} was given twice`);
    this.accepted.set(requestId, text);
  }

  cutOff(): void {
    this.cutOffs += 1;
  }

  /** Compares the requests with the platform's record, the store and the received callbacks. */
  totals(attempts: Attempt[], stored: Stored[], told: Told[]): LedgerTotals {
    const arrivals = new Map<string, number>();
    for (const { result, body } of attempts) {
      if (result === "sent") arrivals.set(body, (arrivals.get(body) ?? 0) + 1);
    }
    const states = new Map(stored.map((message) => [message.id, message.state]));
    const statuses = new Map(told.map((callback) => [callback.requestId, callback.status]));
    const texts = new Set(this.accepted.values());
    const totals: LedgerTotals = {
      accepted: this.accepted.size,
      cutOff: this.cutOffs,
      sent: 0,
      failed: 0,
      waiting: 0,
      lost: 0,
      unexpected:
        stored.filter((message) => !this.accepted.has(message.id)).length +
        [...arrivals.keys()].filter((text) => !texts.has(text)).length,
      duplicates: [...arrivals.values()].reduce((sum, count) => sum + count - 1, 0),
      callbacksLost: 0,
      callbacksRepeated: told.length - statuses.size,
    };
    for (const [id, text] of this.accepted) {
      const state = states.get(id);
      // A message that is "sent" in the store, but never reached the platform, is lost too.
      if (state === "sent" && arrivals.has(text)) totals.sent += 1;
      else if (state === "failed" && !arrivals.has(text)) totals.failed += 1;
      else if (state === "pending" || state === "sending") totals.waiting += 1;
      else totals.lost += 1;
      if (state !== "pending" && statuses.get(id) !== state) totals.callbacksLost += 1;
    }
    return totals;
  }
}
