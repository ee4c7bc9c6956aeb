// Rows of lists that events change: each is read by itself and set, so that a list is not fetched
// again for one of its rows.
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { Change } from "./effects.ts";
import { hasSeveralPages, type Item, isPaged } from "./long_lists.ts";
import { setPart } from "./parts.ts";

const READ_MAX = 20; // Rows of one round; others stay as they were until the list is opened anew.
const FEW = 4; // For more rows of one page, fetching the page is cheaper.
const LONG = 100; // Items of a list that is loaded as a whole.

export interface Listed {
  queryKey: QueryKey;
  state: { data?: unknown; fetchStatus?: string };
  isActive?: () => boolean; // Whether a page shows it.
}

/**
 * Whether a list has to be fetched again for the change. Otherwise setRows shows it. A long list,
 * of which several pages are loaded, is never fetched again, because that would fetch all of them.
 */
export function isReadAnew(list: Listed, change: Change): boolean {
  const { queryKey, state } = list;
  const { lists } = change.effect;
  if (!lists || queryKey[0] !== lists.subject) return false;
  if (state.fetchStatus === "fetching") return true; // The answer may predate the change.
  if (isLong(state.data)) return false;
  if (list.isActive?.() === false) return true; // When a page shows it, which costs nothing now.
  const shown = idsOf(state.data, change.effect.id);
  const isNew = [...change.ids].some((id) => !shown.has(id));
  return change.many || isNew || change.ids.size > FEW || isFiltered(queryKey, lists.filters);
}

function isLong(data: unknown): boolean {
  return hasSeveralPages(data) || (hasItems(data) && data.items.length > LONG);
}

function isFiltered([, query]: QueryKey, filters: readonly string[]): boolean {
  if (typeof query !== "object" || query === null) return false;
  return filters.some((name) => Boolean((query as Item)[name]));
}

function hasItems(data: unknown): data is { items: Item[] } {
  return Array.isArray((data as { items?: unknown } | undefined)?.items);
}

type Cache = Pick<QueryClient, "getQueryCache" | "setQueryData">;

/** Reads the rows that have changed, and sets them in the lists that show them. */
export async function setRows(queries: Cache, change: Change): Promise<void> {
  const { lists, id: name } = change.effect;
  if (!lists) return;
  const shownIn = queries
    .getQueryCache()
    .findAll({ queryKey: [lists.subject] })
    .filter((list) => !isReadAnew(list, change));
  const shown = new Set(shownIn.flatMap(({ state }) => [...idsOf(state.data, name)]));
  const changed = [...change.ids].filter((id) => shown.has(id)).slice(0, READ_MAX);
  const read = await Promise.all(
    changed.map((id) => lists.read(id).catch(() => undefined)), // It may be gone.
  );
  for (const item of read as (Item | undefined)[]) {
    if (!item) continue;
    // What only lists have, such as the number of waiting messages, stays.
    const replace = (one: Item) => (one[name] === item[name] ? { ...one, ...item } : one);
    for (const list of shownIn) setPart(queries, list, (data) => mapped(data, replace));
  }
}

function idsOf(data: unknown, name: string): Set<string> {
  const parts = isPaged(data) ? data.pages : hasItems(data) ? [data] : [];
  return new Set(parts.flatMap(({ items }) => items.map((item) => String(item[name]))));
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
