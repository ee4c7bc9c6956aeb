// Collects events for a moment, and then updates the queries that they affect.
import type { QueryClient } from "@tanstack/react-query";
import { accounts } from "../queries/accounts.ts";
import type { Subject } from "../queries/query.ts";
import { showCounts } from "./campaign_counts.ts";
import { ACCOUNT, type Change, EFFECTS } from "./effects.ts";
import { cutAll, hasSeveralPages } from "./long_lists.ts";
import { setPart } from "./parts.ts";
import { isReadAnew, type Listed, setRows } from "./rows.ts";
import type { LiveEvent } from "./stream.ts";

const PAUSE = 500; // Under load, lists are fetched twice a second at most.
const PATIENCE = 10_000; // The longest wait for the answers of one round.

type Queries = Pick<
  QueryClient,
  "invalidateQueries" | "isFetching" | "getQueryCache" | "setQueryData"
>;

/**
 * Sets changed rows in the lists that show them, and fetches the other affected queries again, in
 * rounds. A round cancels no query in flight: neither those of the last round (under load, a list
 * that takes longer than the pause would never change), nor a page that the reader requested. An
 * answer in flight may predate the event, so another round follows.
 */
export class Gathered {
  private readonly queries: Queries;
  private readonly account: string;
  private changes = new Map<string, Change>(); // By the type of the events.
  private all = false;
  private missed = false; // Events, for longer than a moment.
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
      if (!showCounts(this.queries, event.data)) return;
      // It is read once more, as after a change of its state.
      this.note({ type: "campaign.state", data: event.data });
    }
    this.all ||= event.type === "resync" || event.type === "begin";
    this.missed ||= event.type === "resync";
    this.note(event);
    this.later();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private note({ type, data }: LiveEvent): void {
    const effect = EFFECTS[type];
    if (!effect) return;
    const change = this.changes.get(type) ?? { effect, ids: new Set(), many: false };
    const id = (data as Record<string, unknown> | null)?.[effect.id];
    if (typeof id === "string") change.ids.add(id);
    else change.many = true;
    this.changes.set(type, change);
  }

  /** The event has all that changed. */
  private showCredit(data: unknown): void {
    const credit = (data as { credit?: number | null } | null)?.credit;
    if (credit === undefined) return;
    for (const own of this.queries.getQueryCache().findAll(accounts.own(this.account))) {
      setPart(this.queries, own, (known) => known && { ...known, credit });
      if (own.state.fetchStatus !== "fetching") continue;
      // The answer may be from before the event.
      this.changes.set("account", { effect: ACCOUNT, ids: new Set(), many: true });
    }
  }

  private later(): void {
    if (this.fetching || this.stopped) return;
    this.timer ??= setTimeout(() => void this.flush(), PAUSE);
  }

  private async flush(): Promise<void> {
    const { all, missed } = this;
    const changes = [...this.changes];
    this.changes = new Map();
    this.all = false;
    this.missed = false;
    this.timer = undefined;
    this.fetching = true;
    const old = {
      predicate: (query: Listed) =>
        all
          ? query.queryKey[0] !== "session" && !hasSeveralPages(query.state.data)
          : changes.some(([, one]) => isOld(query, one)),
    };
    if (missed) cutAll(this.queries); // None has several pages any more.
    const wasUnderWay = this.queries.isFetching(old) > 0;
    const rows = all ? [] : changes.map(([, one]) => setRows(this.queries, one));
    const fetched = [this.queries.invalidateQueries(old, { cancelRefetch: false }), ...rows];
    await Promise.race([Promise.all(fetched), after(PATIENCE)]);
    this.fetching = false;
    if (wasUnderWay) this.again(changes, all);
    if (this.all || this.changes.size > 0) this.later();
  }

  private again(changes: [string, Change][], all: boolean): void {
    this.all ||= all;
    for (const [type, { effect, ids, many }] of changes) {
      const newer = this.changes.get(type);
      const merged = { effect, ids: new Set([...ids, ...(newer?.ids ?? [])]), many };
      merged.many ||= newer?.many ?? false;
      this.changes.set(type, merged);
    }
  }
}

/** Whether the query has to be fetched again for the change. */
function isOld(query: Listed, change: Change): boolean {
  const [subject, ...words] = query.queryKey as [Subject, ...unknown[]];
  const { item, others } = change.effect;
  const ofItem = () => change.many || words.some((id) => change.ids.has(String(id)));
  if (others.includes(subject) || (item.includes(subject) && ofItem())) {
    return !hasSeveralPages(query.state.data);
  }
  return isReadAnew(query, change);
}

const after = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
