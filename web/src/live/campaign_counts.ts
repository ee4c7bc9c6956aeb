// The progress of campaigns, which events carry as a whole: nothing is read again for it.
import type { QueryClient } from "@tanstack/react-query";
import { mapped } from "./rows.ts";

interface Progress {
  id: string;
  counts: object;
}

type Cache = Pick<QueryClient, "getQueryCache" | "setQueryData">;

/** Puts the counts of an event into the lists and the page that show the campaign. */
export function showCounts(queries: Cache, data: unknown): void {
  const { id, counts } = (data ?? {}) as Partial<Progress>;
  if (!id || !counts) return;
  queries.setQueryData(["campaign", id], (known: object | undefined) =>
    known ? { ...known, counts } : known,
  );
  const replace = (one: Record<string, unknown>) => (one["id"] === id ? { ...one, counts } : one);
  for (const { queryKey } of queries.getQueryCache().findAll({ queryKey: ["campaigns"] })) {
    queries.setQueryData(queryKey, (known: unknown) => mapped(known, replace));
  }
}
