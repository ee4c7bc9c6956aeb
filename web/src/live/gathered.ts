// Collects events for a moment, and then invalidates the queries that they affect.
import type { Query, QueryClient } from "@tanstack/react-query";
import type { LiveEvent } from "./stream.ts";

/** The queries that each type of event invalidates, by the first word of their key. */
export const MADE_OLD: Record<string, readonly string[]> = {
  "message.updated": ["messages", "message", "timeline", "usage"],
  "callback.attempt": ["callbacks", "callback", "attempts", "hosts", "timeline"],
  "device.state": ["devices", "device", "pairing"],
  "device.qr": ["pairing"],
  "account.credit": ["account", "ledger"],
};

const PAUSE = 500; // Under load, lists are fetched twice a second at most.
const PATIENCE = 10_000; // The longest wait for the answers of one round.

/**
 * Fetches affected queries again, in rounds. A round cancels no query in flight: neither those of
 * the last round (under load, a list that takes longer than the pause would never change), nor a
 * page that the reader requested. An answer in flight may predate the event, so another round
 * follows.
 */
export class Gathered {
  private readonly queries: Pick<QueryClient, "invalidateQueries" | "isFetching">;
  private names = new Set<string>();
  private all = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private fetching = false;
  private stopped = false;

  constructor(queries: Pick<QueryClient, "invalidateQueries" | "isFetching">) {
    this.queries = queries;
  }

  add(event: LiveEvent): void {
    const names = MADE_OLD[event.type];
    if (names) for (const name of names) this.names.add(name);
    else this.all = true; // "resync", and unknown events of a newer gateway.
    this.later();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private later(): void {
    if (this.fetching || this.stopped) return;
    this.timer ??= setTimeout(() => void this.flush(), PAUSE);
  }

  private async flush(): Promise<void> {
    const { names, all } = this;
    this.names = new Set();
    this.all = false;
    this.timer = undefined;
    this.fetching = true;
    const old = {
      predicate: ({ queryKey }: Pick<Query, "queryKey">) =>
        all ? queryKey[0] !== "session" : names.has(String(queryKey[0])),
    };
    const wasUnderWay = this.queries.isFetching(old) > 0;
    const fetched = this.queries.invalidateQueries(old, { cancelRefetch: false });
    await Promise.race([fetched, after(PATIENCE)]);
    this.fetching = false;
    if (wasUnderWay) {
      this.all ||= all;
      for (const name of names) this.names.add(name);
    }
    if (this.all || this.names.size > 0) this.later();
  }
}

const after = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
