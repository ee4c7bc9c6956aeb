// After a change: what is shown of it is fetched again.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

/** Makes old every query whose key begins with one of the names; resolves when they are fetched. */
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
