// What was accepted and what was reported, outside the gateway, so that no kill can affect it.

const FAILED_MAX = 1000;
const RECENT_MAX = 500_000;

/** Counts exactly; holds only what is open, and what was measured since `take`. */
export class Books {
  accepted = 0;
  refused = {}; // Refused sends, by status and text.
  repeated = 0; // Callbacks of messages that had been reported already.
  ended = { sent: 0, failed: 0, cancelled: 0 };
  held = []; // {id, why}: interrupted by a kill; the gateway leaves them to a person, charged.
  booked = 0; // Credit that was added.
  #open = new Map(); // requestId -> {at, isPrompt, key}
  #early = new Map(); // requestId -> status: reported before the answer was read.
  // requestIds that were reported, for counting repeats: the latest, and as many before them. A Set
  // from which the oldest was removed each time would pass over all that were removed.
  #recent = new Set();
  #earlier = new Set();
  #failed = []; // {id, key} of failed messages; bounded.
  #accepts = [];
  #callbacks = [];

  /**
   * A send was answered. `took`: how long it took, if that counts; `isPrompt`: the time until its
   * callback counts; `key`: of its account.
   */
  answered(id, { at, took, isPrompt, key }) {
    this.accepted += 1;
    if (took !== undefined) this.#accepts.push(took);
    const early = this.#early.get(id);
    if (early === undefined) {
      this.#open.set(id, { at, isPrompt, key });
      return;
    }
    this.#early.delete(id);
    this.#end(id, early);
  }

  refuse({ status, text }) {
    const why = `${status} ${/"message":"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 80)}`;
    this.refused[why] = (this.refused[why] ?? 0) + 1;
  }

  /** A callback came. */
  reported({ requestId, status }) {
    const open = this.#open.get(requestId);
    if (!open) {
      if (this.#recent.has(requestId) || this.#earlier.has(requestId)) this.repeated += 1;
      else this.#early.set(requestId, status);
      return;
    }
    this.#open.delete(requestId);
    if (open.isPrompt) this.#callbacks.push(performance.now() - open.at);
    if (status === "failed" && this.#failed.length < FAILED_MAX) {
      this.#failed.push({ id: requestId, key: open.key });
    }
    this.#end(requestId, status);
  }

  /** A message that failed, {id, key}, each once; undefined: there is none. */
  takeFailed() {
    return this.#failed.pop();
  }

  get open() {
    return this.#open.size;
  }

  /** The gateway says that it holds the message, and why. */
  hold(id, why) {
    this.#open.delete(id);
    this.held.push({ id, why });
  }

  /** Ids of messages that were answered, and not reported. */
  openIds() {
    return [...this.#open.keys()];
  }

  /** Ids of messages that were reported, and never answered; none when all callers have ended. */
  unknownIds() {
    return [...this.#early.keys()];
  }

  /** The times measured since the last call, in milliseconds. */
  take() {
    const taken = { accepts: this.#accepts, callbacks: this.#callbacks };
    this.#accepts = [];
    this.#callbacks = [];
    return taken;
  }

  #end(id, status) {
    this.ended[status] = (this.ended[status] ?? 0) + 1;
    this.#recent.add(id);
    if (this.#recent.size < RECENT_MAX) return;
    this.#earlier = this.#recent;
    this.#recent = new Set();
  }
}
