// Why recipients of a campaign got no message, as the gateway counts it.
import { useQuery } from "@tanstack/react-query";
import { readOutcomes } from "../../api/campaigns.ts";
import type { Campaign } from "../../api/types.ts";

const FRESH = 10_000;

/** Read again when the campaign's counts say that there is something new. */
export function useOutcomes({ id, counts: { failed, skipped } }: Pick<Campaign, "id" | "counts">) {
  return useQuery({
    queryKey: ["campaign outcomes", id, failed, skipped],
    queryFn: (context) => readOutcomes(id, context),
    placeholderData: (previous) => previous,
    staleTime: FRESH,
    enabled: failed + skipped > 0,
  });
}

export function mostFrequentFirst<One extends { count: number }>(outcomes: One[]): One[] {
  return [...outcomes].sort((one, other) => other.count - one.count);
}
