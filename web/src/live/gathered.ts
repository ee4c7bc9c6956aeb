// Events of a moment make old, once, what they name.
import type { Query, QueryClient } from "@tanstack/react-query";
import type { LiveEvent } from "./stream.ts";

/** What each kind of event makes old, by the first word of a query's key. */
export const MADE_OLD: Record<string, readonly string[]> = {
  "message.updated": ["messages", "message", "timeline", "usage"],
  "callback.attempt": ["callbacks", "callback", "attempts", "hosts", "timeline"],
  "device.state": ["devices", "device", "pairing"],
  "device.qr": ["pairing"],
  "account.credit": ["account", "ledger"],
};

const PAUSE = 500; // Under load, lists are fetched twice a second at most.
const PATIENCE = 10_000; // With answers that do not come.

/**
 * What events name is fetched again, in rounds. A round cuts off nothing that is under way, neither
 * the last round (under load, lists that take longer than the pause would never change) nor a page
 * that a reader asked for. That may be from before the event, so another round follows.
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
    else this.all = true; // "resync", and what a newer gateway tells.
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
