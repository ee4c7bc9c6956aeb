// The progress of campaigns, which events carry as a whole: nothing is read again for it.
import type { QueryClient } from "@tanstack/react-query";
import type { Campaign } from "../api/types.ts";
import { campaigns } from "../queries/campaigns.ts";
import type { Key } from "../queries/query.ts";
import { mapped } from "./rows.ts";

type Progress = Pick<Campaign, "id" | "counts">;

const LISTS = ["campaigns"] as const satisfies Key;

type Cache = Pick<QueryClient, "getQueryCache" | "setQueryData">;

/** Puts the counts of an event into the lists and the page that show the campaign. */
export function showCounts(queries: Cache, data: unknown): void {
  const { id, counts } = (data ?? {}) as Partial<Progress>;
  if (!id || !counts) return;
  queries.setQueryData(campaigns.one(id).queryKey, (known) => known && { ...known, counts });
  const replace = (one: Record<string, unknown>) => (one["id"] === id ? { ...one, counts } : one);
  for (const { queryKey } of queries.getQueryCache().findAll({ queryKey: LISTS })) {
    queries.setQueryData(queryKey, (known: unknown) => mapped(known, replace));
  }
}
