// Numbers that campaigns must not reach, with the reasons.
import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { importSuppressions, type ListFormat, suppressionsAddress } from "../../api/contacts.ts";
import type { Suppression } from "../../api/types.ts";
import { UNANNOUNCED, usePaged } from "../../live/paged.ts";
import { campaigns } from "../../queries/campaigns.ts";
import { suppressions } from "../../queries/contacts.ts";
import { useAccountId, useSession } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { type Download, DownloadMenu } from "../../ui/download_menu.tsx";
import { FilterBar } from "../../ui/filter_bar.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ListImport } from "../../ui/list_import.tsx";
import { Empty, EmptyFilter, Mono } from "../../ui/notes.tsx";
import { Page } from "../../ui/page.tsx";
import { phoneNumber } from "../../ui/phone_number.ts";
import { useRefresh } from "../../ui/refresh.ts";
import { RowMenu } from "../../ui/row_menu.tsx";
import { TextFilter } from "../../ui/text_filter.tsx";
import { Ago } from "../../ui/time.tsx";
import { useFilters } from "../../ui/url_state.ts";
import { AddSuppression } from "./add_suppression.tsx";
import { RemoveSuppression } from "./remove_suppression.tsx";

const FILTERS = ["number"] as const;
const DIGITS_MAX = 15;

export default function Suppressions() {
  const t = useText().suppressions;
  const account = useAccountId();
  const { can } = useSession();
  const manages = can("campaigns:manage"); // Others see masked numbers.
  const [adding, setAdding] = useDisclosure(false);
  const [importing, setImporting] = useDisclosure(false);
  const [leaving, setLeaving] = useState<Suppression>();
  const { filters, set, clear, any } = useFilters(FILTERS);
  const number = manages ? firstDigits(filters.number) : "";
  const list = usePaged(suppressions.list({ account, number }), { every: UNANNOUNCED });
  const places = new Map(list.items?.map((one, place) => [one, place]));
  const actions = manages && (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="upload" size={16} />}
        onClick={setImporting.open}
      >
        {t.import}
      </Button>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={setAdding.open}>
        {t.add}
      </Button>
    </>
  );
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        (list.items?.length || any) && manages ? (
          <>
            <Export />
            {actions}
          </>
        ) : null
      }
    >
      {manages && (
        <FilterBar any={any} onClear={clear}>
          <TextFilter
            label={t.search}
            value={filters.number}
            onSet={(number) => set({ number })}
            clean={firstDigits}
            numeric
          />
        </FilterBar>
      )}
      <DataTable
        label={t.title}
        columns={useColumns(manages ? setLeaving : undefined)}
        rows={list.items}
        rowKey={(one) => (manages ? one.number : `${places.get(one)}`)}
        error={list.error}
        since={list.since}
        next={list.next}
        empty={
          number ? (
            <EmptyFilter onClear={clear} />
          ) : (
            <Empty icon="suppressions" title={t.empty} text={t.emptyText}>
              <Group gap="xs" justify="center">
                {actions}
              </Group>
            </Empty>
          )
        }
      />
      {manages && (
        <>
          <AddSuppression opened={adding} onClose={setAdding.close} />
          <Import opened={importing} onClose={setImporting.close} />
          <RemoveSuppression suppression={leaving} onClose={() => setLeaving(undefined)} />
        </>
      )}
    </Page>
  );
}

/** Numbers are stored in international form. */
function firstDigits(typed: string): string {
  return phoneNumber(typed).slice(0, DIGITS_MAX);
}

function useColumns(leave: ((suppression: Suppression) => void) | undefined) {
  const t = useText().suppressions;
  const names = useCampaignNames();
  const columns: Column<Suppression>[] = [
    {
      key: "number",
      head: t.number,
      narrow: true,
      phone: "title",
      cell: (one) =>
        leave ? (
          <Link href={`/contacts/${one.number}`}>
            <Mono>{one.number}</Mono>
          </Link>
        ) : (
          <Mono>{one.number}</Mono>
        ),
    },
    { key: "reason", head: t.reason, phone: "bare", cell: (one) => t.reasons[one.reason] },
    { key: "at", head: t.at, narrow: true, phone: "bare", cell: (one) => <Ago time={one.at} /> },
    {
      key: "campaign",
      head: t.campaign,
      cell: ({ campaign }) =>
        campaign && <Link href={`/campaigns/${campaign}`}>{names.get(campaign) ?? campaign}</Link>,
    },
  ];
  if (!leave) return columns;
  const menu: Column<Suppression> = {
    key: "actions",
    head: "",
    narrow: true,
    phone: "mark",
    cell: (one) => (
      <RowMenu
        of={one.number}
        actions={[{ name: t.remove, run: () => leave(one), danger: true }]}
      />
    ),
  };
  return [...columns, menu];
}

const NAMED = 200; // The latest campaigns; older ones are shown by their ids.

function useCampaignNames(): Map<string, string> {
  const account = useAccountId();
  const { data } = useQuery({ ...campaigns.names(account, NAMED), staleTime: 60_000 });
  return new Map(data?.items.map(({ id, name }) => [id, name]));
}

function Export() {
  const t = useText().suppressions;
  const account = useAccountId();
  const download = (format: ListFormat, name: string): Download => ({
    name,
    href: suppressionsAddress(account, format),
    file: `suppressions.${format}`,
  });
  return (
    <DownloadMenu
      title={t.export}
      downloads={[download("csv", t.exportCsv), download("ndjson", t.exportLines)]}
    />
  );
}

function Import({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useText().suppressions;
  const account = useAccountId();
  return (
    <ListImport
      title={t.importTitle}
      lead={t.importLead}
      opened={opened}
      onClose={onClose}
      upload={(file, form, options) => importSuppressions(account, file, form, options)}
      onEnded={useRefresh("suppressions")}
      figuresOf={(done) => [
        { name: t.rows, value: done.rows },
        { name: t.added, value: done.added },
        { name: t.invalid, value: done.invalid, bad: done.invalid > 0 },
        { name: t.duplicate, value: done.duplicate },
      ]}
    />
  );
}
