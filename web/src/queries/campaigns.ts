// Campaigns, their recipients, and what is known before their start.
import {
  type CampaignQuery,
  checkCampaign,
  listCampaigns,
  listRecipients,
  previewCampaign,
  type RecipientQuery,
  readCampaign,
  readOutcomes,
} from "../api/campaigns.ts";
import type { Campaign, CampaignRecipient } from "../api/types.ts";
import { answer, type Listing } from "./query.ts";

const ROWS = 50;

export const campaigns = {
  list: (query: CampaignQuery): Listing<Campaign> => ({
    queryKey: ["campaigns", query],
    fetchPage: (cursor, cancel) => listCampaigns({ ...query, limit: ROWS, cursor }, cancel),
  }),
  latest: (account: string, limit: number) =>
    answer(["campaigns", { account }, "latest", limit], (cancel) =>
      listCampaigns({ account, limit }, cancel),
    ),
  /** For the names alone, which no event changes. */
  names: (account: string, limit: number) =>
    answer(["campaign names", account, limit], (cancel) =>
      listCampaigns({ account, limit }, cancel),
    ),
  one: (id: string) => answer(["campaign", id], (cancel) => readCampaign(id, cancel)),
  /** Read again when the counts say that there is something new. */
  outcomes: ({ id, counts: { failed, skipped } }: Pick<Campaign, "id" | "counts">) =>
    answer(["campaign outcomes", id, failed, skipped], (cancel) => readOutcomes(id, cancel)),
  recipients: (id: string, query: RecipientQuery): Listing<CampaignRecipient> => ({
    queryKey: ["recipients", id, query],
    fetchPage: (cursor, cancel) => listRecipients(id, { ...query, cursor }, cancel),
  }),
  /** The message of a row; the tag is that of the campaign's text. */
  preview: (id: string, tag: string, row: number | undefined) =>
    answer(["campaign preview", id, tag, row ?? 0], (cancel) => previewCampaign(id, row, cancel)),
  check: (id: string, tag: string) =>
    answer(["campaign check", id, tag], (cancel) => checkCampaign(id, cancel)),
};
