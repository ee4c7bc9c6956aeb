// A list that is loaded page by page.
import { useInfiniteQuery } from "@tanstack/react-query";
import { type FirstItems, firstWithItems, PAGE } from "../api/pages.ts";
import type { Listing } from "../queries/query.ts";
import type { Next } from "../ui/data_table.tsx";
import { usePollInterval } from "./live.tsx";
import { hasSeveralPages } from "./long_lists.ts";

/** Between polls of a list of which no event tells, though others change it. In milliseconds. */
export const UNANNOUNCED = 5000;

interface Paged<Item> {
  items: Item[] | undefined;
  error: unknown; // Of the latest request; there may be items from before.
  since: number | undefined; // When they were read, in milliseconds.
  next: Next;
}

interface Options {
  every?: number; // Milliseconds between polls, for data of which no event tells.
  /** For lists with filters, which find old items faster than paging. Undefined: no limit. */
  pagesMax?: number;
}

export function usePaged<Item>(list: Listing<Item>, options: Options = {}): Paged<Item> {
  const usual = usePollInterval();
  const interval = options.every ?? usual;
  const result = useInfiniteQuery({
    queryKey: list.queryKey,
    queryFn: ({ pageParam, signal }) => firstWithItems(list.fetchPage, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    // By itself only a single page is read again: the list does not move under the reader, and no
    // page is read that nobody looks at.
    refetchInterval: ({ state }) => !hasSeveralPages(state.data) && interval,
    refetchOnWindowFocus: ({ state }) => !hasSeveralPages(state.data),
    refetchOnReconnect: ({ state }) => !hasSeveralPages(state.data),
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

/** The polling interval of all items: one page is polled often, more are not. */
export function pollOfAll(
  often: number,
): (query: { state: { data?: FirstItems<unknown> | undefined } }) => number {
  return ({ state }) => ((state.data?.items.length ?? 0) > PAGE ? Math.max(often, SELDOM) : often);
}

const SELDOM = 60_000;
