// Fetches affected queries again after a change.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

/** Invalidates queries whose key begins with one of the names; resolves when they are fetched. */
export function useRefresh(...names: string[]): () => Promise<void> {
  const queries = useQueryClient();
  const all = names.join(" ");
  return useCallback(
    () =>
      queries.invalidateQueries({
        predicate: ({ queryKey }) => all.split(" ").includes(String(queryKey[0])),
      }),
    [queries, all],
  );
}
