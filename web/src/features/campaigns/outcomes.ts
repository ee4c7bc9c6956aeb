// Why recipients of a campaign got no message, as the gateway counts it.
import { useQuery } from "@tanstack/react-query";
import type { Campaign } from "../../api/types.ts";
import { campaigns } from "../../queries/campaigns.ts";

const FRESH = 10_000;

/** Read again when the campaign's counts say that there is something new. */
export function useOutcomes(campaign: Pick<Campaign, "id" | "counts">) {
  const { failed, skipped } = campaign.counts;
  return useQuery({
    ...campaigns.outcomes(campaign),
    placeholderData: (previous) => previous,
    staleTime: FRESH,
    enabled: failed + skipped > 0,
  });
}

export function mostFrequentFirst<One extends { count: number }>(outcomes: One[]): One[] {
  return [...outcomes].sort((one, other) => other.count - one.count);
}
