// A list that is loaded page by page.
import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import type { Page } from "../api/types.ts";
import { usePollInterval } from "../live/live.tsx";
import type { Next } from "./data_table.tsx";

// A search for rare items returns empty pages before the last one. This many are fetched in a row
// before the reader has to continue.
const EMPTY_MAX = 50;

/** The default number of rows of a page. */
export const PAGE = 100;

interface Paged<Item> {
  items: Item[] | undefined;
  error: unknown;
  next: Next;
}

interface Options {
  enabled?: boolean;
  poll?: boolean;
  /** For lists with filters, which find old items faster than paging. Undefined: no limit. */
  pagesMax?: number;
}

export function usePaged<Item>(
  key: QueryKey,
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
  options: Options = {},
): Paged<Item> {
  const interval = usePollInterval();
  const result = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => firstWithItems(fetchPage, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    enabled: options.enabled,
    // Polls only while a single page is loaded, so that the list does not move under the reader.
    refetchInterval: (query) =>
      options.poll !== false && (query.state.data?.pages.length ?? 0) <= 1 ? interval : false,
  });
  const pages = result.data?.pages;
  const full = (pages?.length ?? 0) >= (options.pagesMax ?? Number.POSITIVE_INFINITY);
  return {
    items: pages?.flatMap((page) => page.items),
    error: result.error,
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
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Page<Item>> {
  let page = await fetchPage(cursor);
  for (let asked = 1; asked < EMPTY_MAX; asked += 1) {
    if (page.items.length > 0 || page.next === null || signal.aborted) break;
    page = await fetchPage(page.next);
  }
  return page;
}

/** All items of a list, for choices and sums; usually a single page. */
export async function everyItem<Item>(
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetchPage(cursor);
    for (const item of page.items) items.push(item);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return items;
}
