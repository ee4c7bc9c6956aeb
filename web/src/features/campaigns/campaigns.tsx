// The account's campaigns, with their progress.
import { Button, Select } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, useLocation } from "wouter";
import type { Campaign, CampaignState as Word } from "../../api/types.ts";
import { usePaged } from "../../live/paged.ts";
import { campaigns } from "../../queries/campaigns.ts";
import { useAccountId, useSession } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { FilterBar } from "../../ui/filter_bar.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Empty, EmptyFilter } from "../../ui/notes.tsx";
import { Page } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { useFilters } from "../../ui/url_state.ts";
import { CampaignProgress, CampaignState } from "./campaign_progress.tsx";
import { NewCampaignDialog } from "./new_campaign.tsx";

const FILTERS = ["state"] as const;

export default function Campaigns() {
  const texts = useText();
  const t = texts.campaigns;
  const account = useAccountId();
  const [, go] = useLocation();
  const { filters, set, clear, any } = useFilters(FILTERS);
  const state = filters.state as Word | "";
  const list = usePaged(campaigns.list({ account, state }), { pagesMax: 40 });
  const { can } = useSession();
  const [creating, setCreating] = useDisclosure(false);
  const create = can("campaigns:manage") && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={setCreating.open}>
      {texts.draft.create}
    </Button>
  );
  const states = Object.entries(texts.campaigns.states).map(([value, label]) => ({ value, label }));
  return (
    <Page title={t.title} lead={t.lead} actions={(any || (list.items?.length ?? 0) > 0) && create}>
      <FilterBar any={any} onClear={clear}>
        <Select
          aria-label={t.state}
          placeholder={t.anyState}
          data={states}
          value={state || null}
          onChange={(value) => set({ state: value ?? "" })}
          clearable
          size="xs"
        />
      </FilterBar>
      <DataTable
        label={t.title}
        columns={useColumns()}
        rows={list.items}
        rowKey={(one) => one.id}
        error={list.error}
        since={list.since}
        onOpen={(one) => go(`/campaigns/${one.id}`)}
        next={list.next}
        empty={
          any ? (
            <EmptyFilter onClear={clear} />
          ) : (
            <Empty icon="campaigns" title={t.empty} text={t.emptyText}>
              {create}
            </Empty>
          )
        }
      />
      <NewCampaignDialog opened={creating} onClose={setCreating.close} />
    </Page>
  );
}

function useColumns(): Column<Campaign>[] {
  const t = useText().campaigns;
  return [
    {
      key: "name",
      head: t.name,
      phone: "title",
      cell: (one) => <Link href={`/campaigns/${one.id}`}>{one.name}</Link>,
    },
    {
      key: "state",
      head: t.state,
      narrow: true,
      phone: "mark",
      cell: (one) => <CampaignState state={one.state} />,
    },
    {
      key: "progress",
      head: t.progress,
      phone: "bare",
      cell: (one) => <CampaignProgress campaign={one} />,
    },
    {
      key: "created",
      head: t.created,
      narrow: true,
      phone: "bare",
      cell: (one) => <Ago time={one.created_at} />,
    },
  ];
}
