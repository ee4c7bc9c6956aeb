// Lists of which several pages are loaded: only the items that changed are read again.
import type { InfiniteData, QueryClient, QueryKey } from "@tanstack/react-query";
import { readCampaign } from "../api/campaigns.ts";
import { readCallback, readDevice, readMessage } from "../api/operations.ts";
import type { Page } from "../api/types.ts";

type Item = Record<string, unknown>;
type Pages = InfiniteData<Page<Item>>;

interface Kind {
  id: string; // The name of the item's id, in events and lists.
  read: (id: string) => Promise<object>;
}

/** By the first word of the lists' keys. */
const KINDS: Record<string, Kind> = {
  messages: { id: "id", read: (id) => readMessage(id) },
  callbacks: { id: "id", read: (id) => readCallback(id) },
  campaigns: { id: "id", read: (id) => readCampaign(id) },
  devices: { id: "number", read: (number) => readDevice(number) },
};

const READ_MAX = 20; // Items of one round; others stay as they were until the list is opened anew.
const LONG = 100; // Items of a list that is loaded as a whole.

interface Listed {
  queryKey: QueryKey;
  state: { data?: unknown };
}

/** Whether an event about one item must not fetch the whole list again. */
export function isLong({ queryKey, state: { data } }: Listed): boolean {
  if (!KINDS[String(queryKey[0])]) return false;
  return isPaged(data) ? data.pages.length > 1 : hasItems(data) && data.items.length > LONG;
}

function hasItems(data: unknown): data is { items: Item[] } {
  return Array.isArray((data as { items?: unknown } | undefined)?.items);
}

function isPaged(data: unknown): data is Pages {
  return Array.isArray((data as Pages | undefined)?.pages);
}

/** The id of the item that the data of an event are about. */
export function idIn(list: string, data: unknown): string | undefined {
  const id = KINDS[list] && (data as Item | null)?.[KINDS[list].id];
  return typeof id === "string" ? id : undefined;
}

type Cache = Pick<QueryClient, "getQueryCache" | "setQueryData">;

/** Reads the items with these ids again, and puts them into the long lists that have them. */
export async function refreshItems(
  queries: Cache,
  list: string,
  ids: ReadonlySet<string>,
): Promise<void> {
  const kind = KINDS[list];
  const long = queries
    .getQueryCache()
    .findAll({ queryKey: [list] })
    .filter(isLong);
  if (!kind || long.length === 0) return;
  const shown = new Set(long.flatMap(({ state }) => idsOf(state.data, kind)));
  const changed = [...ids].filter((id) => shown.has(id)).slice(0, READ_MAX);
  const read = await Promise.all(
    changed.map((id) => kind.read(id).catch(() => undefined)), // It may be gone.
  );
  for (const item of read as (Item | undefined)[]) {
    if (!item) continue;
    // What only lists have, such as the number of waiting messages, stays.
    const replace = (one: Item) => (one[kind.id] === item[kind.id] ? { ...one, ...item } : one);
    for (const { queryKey } of long) {
      queries.setQueryData(queryKey, (data: unknown) => mapped(data, replace));
    }
  }
}

function idsOf(data: unknown, kind: Kind): string[] {
  const parts = isPaged(data) ? data.pages : hasItems(data) ? [data] : [];
  return parts.flatMap(({ items }) => items.map((item) => String(item[kind.id])));
}

/** The loaded pages or items, each changed. */
export function mapped(data: unknown, change: (item: Item) => Item): unknown {
  const part = <Part extends { items: Item[] }>(one: Part) => ({
    ...one,
    items: one.items.map(change),
  });
  if (isPaged(data)) return { ...data, pages: data.pages.map(part) };
  return hasItems(data) ? part(data) : data;
}
