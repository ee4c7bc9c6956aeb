// The progress of campaigns, which events carry as a whole: nothing is read again for it.
import type { QueryClient } from "@tanstack/react-query";
import type { Campaign } from "../api/types.ts";
import { campaigns } from "../queries/campaigns.ts";
import type { Key } from "../queries/query.ts";
import { setPart } from "./parts.ts";
import { mapped } from "./rows.ts";

type Progress = Pick<Campaign, "id" | "counts">;

const LISTS = ["campaigns"] as const satisfies Key;

type Cache = Pick<QueryClient, "getQueryCache" | "setQueryData">;

/**
 * Puts the counts of an event into the lists and the page that show the campaign. True: one of them
 * is being read, and the answer may be from before the event.
 */
export function showCounts(queries: Cache, data: unknown): boolean {
  const { id, counts } = (data ?? {}) as Partial<Progress>;
  if (!id || !counts) return false;
  const cache = queries.getQueryCache();
  const pages = cache.findAll({ queryKey: campaigns.one(id).queryKey });
  const lists = cache.findAll({ queryKey: LISTS });
  for (const page of pages) setPart(queries, page, (known) => known && { ...known, counts });
  const replace = (one: Record<string, unknown>) => (one["id"] === id ? { ...one, counts } : one);
  for (const list of lists) setPart(queries, list, (known) => mapped(known, replace));
  return [...pages, ...lists].some(({ state }) => state.fetchStatus === "fetching");
}
