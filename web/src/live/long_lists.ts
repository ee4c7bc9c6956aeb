// Lists of which several pages are loaded. Whenever the library reads a list again, it reads all
// its loaded pages, one after the other. So a list that is shown is not read again by itself while
// it is long; where it must be, it is cut to its first page before.
import type { InfiniteData, Query, QueryClient } from "@tanstack/react-query";
import type { Page } from "../api/types.ts";

export type Item = Record<string, unknown>;
type Pages = InfiniteData<Page<Item>>;

export function isPaged(data: unknown): data is Pages {
  return Array.isArray((data as Pages | undefined)?.pages);
}

export function hasSeveralPages(data: unknown): boolean {
  return isPaged(data) && data.pages.length > 1;
}

type Cached = Pick<Query, "queryKey" | "state">;

function cut(queries: Pick<QueryClient, "setQueryData">, { queryKey, state }: Cached): void {
  if (!hasSeveralPages(state.data)) return;
  const { pages, pageParams } = state.data as Pages;
  const first = { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
  // An event may have changed a row a moment ago, but the page was not read then.
  queries.setQueryData(queryKey, first, { updatedAt: 0 });
}

/** Cuts all lists, which are then read again. */
export function cutAll(queries: Pick<QueryClient, "getQueryCache" | "setQueryData">): void {
  for (const query of queries.getQueryCache().findAll()) cut(queries, query);
}

/** Cuts each list that no page shows any more: when it is opened again, it is read again. */
export function cutWhenLeft(queries: QueryClient): void {
  queries.getQueryCache().subscribe(({ type, query }) => {
    if (type === "observerRemoved" && query.getObserversCount() === 0) cut(queries, query);
  });
}
