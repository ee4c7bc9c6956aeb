// The ledger of credit: what was added, used and returned, with the balance after each entry.
import type { LedgerEntry } from "../../api/types.ts";
import { usePaged } from "../../live/paged.ts";
import { accounts } from "../../queries/accounts.ts";
import { useText, useWords } from "../../texts/index.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { Section } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";

export function Ledger({ account }: { account: string }) {
  const t = useText().account;
  const ledger = usePaged(accounts.ledger(account));
  return (
    <Section title={t.ledger} lead={t.ledgerLead}>
      <DataTable
        label={t.ledger}
        columns={useColumns()}
        rows={ledger.items}
        rowKey={(row) => `${row.number}`}
        error={ledger.error}
        since={ledger.since}
        next={ledger.next}
        empty={<p>{t.ledgerEmpty}</p>}
      />
    </Section>
  );
}

function useColumns(): Column<LedgerEntry>[] {
  const { t, format } = useWords();
  const signed = (value: number) => `${value > 0 ? "+" : ""}${format.number(value)}`;
  return [
    {
      key: "at",
      head: t.account.when,
      narrow: true,
      phone: "bare",
      cell: (row) => <Ago time={row.ended_at} />,
    },
    {
      key: "kind",
      head: t.account.entry,
      phone: "title",
      cell: (row) => t.account.kinds[row.kind] ?? row.kind,
    },
    { key: "reason", head: t.account.reason, cell: (row) => row.reason },
    {
      key: "amount",
      head: t.account.amount,
      align: "right",
      narrow: true,
      phone: "mark",
      cell: (row) => (row.amount === null ? "" : signed(row.amount)),
    },
    {
      key: "balance",
      head: t.account.balance,
      align: "right",
      narrow: true,
      cell: (row) => (row.balance === null ? t.common.unlimited : format.number(row.balance)),
    },
  ];
}
