// Fetches affected queries again after a change.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Subject } from "../queries/query.ts";

/** Invalidates the queries about the subjects; resolves when they are fetched. */
export function useRefresh(...subjects: Subject[]): () => Promise<void> {
  const queries = useQueryClient();
  const all = subjects.join("\n");
  return useCallback(
    () =>
      queries.invalidateQueries({
        predicate: ({ queryKey }) => all.split("\n").includes(String(queryKey[0])),
      }),
    [queries, all],
  );
}
