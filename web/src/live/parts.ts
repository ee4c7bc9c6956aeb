// Events that have a part of what is cached: it is set, and the rest stays as old as it was.
import type { Query, QueryClient } from "@tanstack/react-query";

type Cached = Pick<Query, "queryKey" | "state">;

/** Unlike an answer, it does not make a query fresh, nor mend one that has to be read again. */
export function setPart(
  queries: Pick<QueryClient, "setQueryData">,
  { queryKey, state }: Cached,
  change: (known: unknown) => unknown,
): void {
  const updatedAt = state.isInvalidated ? 0 : state.dataUpdatedAt;
  queries.setQueryData(queryKey, change, { updatedAt });
}
