// A list that is fetched page by page.
import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import type { Page } from "../api/types.ts";
import { usePollInterval } from "../live/live.tsx";

// A search for what is rare answers pages without items that are not the last: so many are asked
// for in a row before it is the reader who says that it goes on.
const EMPTY_MAX = 50;
const PAGES_MAX = 40; // A page left open does not grow beyond; the rest is for the filters.

interface Paged<Item> {
  items: Item[] | undefined;
  error: unknown;
  next: { load: () => void; loading: boolean; has: boolean };
}

export function usePaged<Item>(
  key: QueryKey,
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
  options: { enabled?: boolean; poll?: boolean } = {},
): Paged<Item> {
  const interval = usePollInterval();
  const result = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => firstWithItems(fetchPage, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    enabled: options.enabled,
    // Who has paged down reads: only the first page is kept up to date.
    refetchInterval: (query) =>
      options.poll !== false && (query.state.data?.pages.length ?? 0) <= 1 ? interval : false,
  });
  const pages = result.data?.pages;
  return {
    items: pages?.flatMap((page) => page.items),
    error: result.error,
    next: {
      load: () => void result.fetchNextPage(),
      loading: result.isFetchingNextPage,
      has: result.hasNextPage && (pages?.length ?? 0) < PAGES_MAX,
    },
  };
}

/** The page at the cursor, or the next one that has items. */
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
