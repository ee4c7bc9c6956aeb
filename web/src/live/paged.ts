// A list that is loaded page by page.
import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import type { Cancel } from "../api/client.ts";
import type { Page } from "../api/types.ts";
import type { Next } from "../ui/data_table.tsx";
import { usePollInterval } from "./live.tsx";

// A search for rare items returns empty pages before the last one. This many are fetched in a row
// before the reader has to continue.
const EMPTY_MAX = 50;

/** The default number of rows of a page. */
export const PAGE = 100;

/** Reads the page at the cursor. */
type FetchPage<Item> = (cursor: string | undefined, cancel: Cancel) => Promise<Page<Item>>;

interface Paged<Item> {
  items: Item[] | undefined;
  error: unknown; // Of the latest request; there may be items from before.
  since: number | undefined; // When they were read, in milliseconds.
  next: Next;
}

interface Options {
  enabled?: boolean;
  every?: number; // Milliseconds between polls, for data of which no event tells.
  /** For lists with filters, which find old items faster than paging. Undefined: no limit. */
  pagesMax?: number;
}

export function usePaged<Item>(
  key: QueryKey,
  fetchPage: FetchPage<Item>,
  options: Options = {},
): Paged<Item> {
  const usual = usePollInterval();
  const interval = options.every ?? usual;
  const result = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => firstWithItems(fetchPage, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    enabled: options.enabled,
    // Polls only while a single page is loaded, so that the list does not move under the reader.
    refetchInterval: (query) => ((query.state.data?.pages.length ?? 0) <= 1 ? interval : false),
  });
  const pages = result.data?.pages;
  const full = (pages?.length ?? 0) >= (options.pagesMax ?? Number.POSITIVE_INFINITY);
  return {
    items: pages?.flatMap((page) => page.items),
    error: result.error,
    since: result.dataUpdatedAt || undefined,
    next: {
      load: () => void result.fetchNextPage(),
      loading: result.isFetchingNextPage,
      has: result.hasNextPage && !full,
      cut: result.hasNextPage && full,
    },
  };
}

/** The page at the cursor, or the next page with items. */
export async function firstWithItems<Item>(
  fetchPage: FetchPage<Item>,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Page<Item>> {
  let page = await fetchPage(cursor, { signal });
  for (let asked = 1; asked < EMPTY_MAX; asked += 1) {
    if (page.items.length > 0 || page.next === null || signal.aborted) break;
    page = await fetchPage(page.next, { signal });
  }
  return page;
}

/** The first items of a list. */
export interface FirstItems<Item> {
  items: Item[];
  more: boolean; // Whether there are others.
}

/** The most items that are read for choices and sums. */
export const ITEMS_MAX = 5000;

/** The items of a list, for choices and sums; usually a single page. Ends with ITEMS_MAX. */
export async function firstItems<Item>(
  fetchPage: FetchPage<Item>,
  cancel: Cancel = {},
): Promise<FirstItems<Item>> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetchPage(cursor, cancel);
    for (const item of page.items) items.push(item);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && items.length < ITEMS_MAX);
  return { items, more: cursor !== undefined };
}

/** The polling interval of all items: one page is polled often, more are not. */
export function pollOfAll(
  often: number,
): (query: { state: { data?: FirstItems<unknown> | undefined } }) => number {
  return ({ state }) => ((state.data?.items.length ?? 0) > PAGE ? Math.max(often, SELDOM) : often);
}

const SELDOM = 60_000;
