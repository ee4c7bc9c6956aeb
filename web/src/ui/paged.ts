// A list that is fetched page by page.
import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import type { Page } from "../api/types.ts";
import { usePollInterval } from "../live/live.tsx";

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
    queryFn: ({ pageParam }) => fetchPage(pageParam),
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
