// Collects events for a moment, and then updates the queries that they affect.
import type { Query, QueryClient } from "@tanstack/react-query";
import { showCounts } from "./campaign_counts.ts";
import { idIn, isLong, refreshItems } from "./long_lists.ts";
import type { LiveEvent } from "./stream.ts";

/** The queries that each type of event invalidates, by the first word of their key. */
export const MADE_OLD: Record<string, readonly string[]> = {
  "message.updated": ["messages", "message", "timeline", "usage"],
  "callback.attempt": ["callbacks", "callback", "attempts", "hosts", "timeline"],
  "device.state": ["devices", "device", "pairing"],
  "device.qr": ["pairing"],
  "account.credit": ["ledger"],
  "campaign.state": ["campaigns", "campaign"],
};

const PAUSE = 500; // Under load, lists are fetched twice a second at most.
const PATIENCE = 10_000; // The longest wait for the answers of one round.

type Queries = Pick<
  QueryClient,
  "invalidateQueries" | "isFetching" | "getQueryCache" | "setQueryData"
>;

/**
 * Fetches affected queries again, in rounds; of long lists only the items that changed. A round
 * cancels no query in flight: neither those of the last round (under load, a list that takes longer
 * than the pause would never change), nor a page that the reader requested. An answer in flight may
 * predate the event, so another round follows.
 */
export class Gathered {
  private readonly queries: Queries;
  private readonly account: string;
  private names = new Set<string>();
  private items = new Map<string, Set<string>>(); // Ids of changed items, by list.
  private all = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private fetching = false;
  private stopped = false;

  constructor(queries: Queries, account: string) {
    this.queries = queries;
    this.account = account;
  }

  add(event: LiveEvent): void {
    if (event.type === "account.credit") this.showCredit(event.data);
    if (event.type === "campaign.progress") {
      showCounts(this.queries, event.data);
      return;
    }
    const names = MADE_OLD[event.type] ?? [];
    for (const name of names) {
      this.names.add(name);
      const id = idIn(name, event.data);
      if (id) this.items.set(name, (this.items.get(name) ?? new Set()).add(id));
    }
    this.all ||= event.type === "resync";
    this.later();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** The event has all that changed. */
  private showCredit(data: unknown): void {
    const credit = (data as { credit?: number | null } | null)?.credit;
    if (credit === undefined) return;
    this.queries.setQueryData(["account", this.account], (known: object | undefined) =>
      known ? { ...known, credit } : known,
    );
  }

  private later(): void {
    if (this.fetching || this.stopped) return;
    this.timer ??= setTimeout(() => void this.flush(), PAUSE);
  }

  private async flush(): Promise<void> {
    const { names, items, all } = this;
    this.names = new Set();
    this.items = new Map();
    this.all = false;
    this.timer = undefined;
    this.fetching = true;
    const old = {
      predicate: (query: Pick<Query, "queryKey" | "state">) =>
        all
          ? query.queryKey[0] !== "session"
          : names.has(String(query.queryKey[0])) && !isLong(query),
    };
    const wasUnderWay = this.queries.isFetching(old) > 0;
    const fetched = [
      this.queries.invalidateQueries(old, { cancelRefetch: false }),
      ...(all ? [] : [...items].map(([list, ids]) => refreshItems(this.queries, list, ids))),
    ];
    await Promise.race([Promise.all(fetched), after(PATIENCE)]);
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
