// The rows of the lists that get no message, each with its reason and what the file had.
import type { CampaignRecipient } from "../../../api/types.ts";
import { UNANNOUNCED, usePaged } from "../../../live/paged.ts";
import { campaigns } from "../../../queries/campaigns.ts";
import { useText } from "../../../texts/index.tsx";
import { type Column, DataTable } from "../../../ui/data_table.tsx";
import { Mono } from "../../../ui/notes.tsx";
import { whyOf } from "../recipients_table.tsx";

const ROWS = 10;

export function RefusedRows({ id }: { id: string }) {
  const texts = useText();
  const t = texts.audience;
  const query = campaigns.recipients(id, { state: "skipped", limit: ROWS });
  const list = usePaged(query, { pagesMax: 100, every: UNANNOUNCED });
  const columns: Column<CampaignRecipient>[] = [
    { key: "row", head: texts.campaigns.row, narrow: true, align: "right", cell: ({ row }) => row },
    {
      key: "original",
      head: t.original,
      phone: "title",
      cell: ({ original, number }) => <Mono>{original ?? number ?? "–"}</Mono>,
    },
    { key: "reason", head: t.reason, cell: (one) => whyOf(one, texts) },
  ];
  return (
    <DataTable
      label={t.refused}
      columns={columns}
      rows={list.items}
      rowKey={(one) => `${one.row}`}
      error={list.error}
      since={list.since}
      next={list.next}
      empty={null}
    />
  );
}
