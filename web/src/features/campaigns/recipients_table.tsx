// The recipients of a campaign, with what became of each.
import { Link } from "wouter";
import type { CampaignRecipient } from "../../api/types.ts";
import { usePaged } from "../../live/paged.ts";
import { campaigns } from "../../queries/campaigns.ts";
import { useSession } from "../../session/session.tsx";
import { type Texts, useText } from "../../texts/index.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { codeText } from "../../ui/message_state.tsx";
import { Mono, Quiet } from "../../ui/notes.tsx";
import { State, type Tone } from "../../ui/state.tsx";

type Word = CampaignRecipient["state"];

const ROWS = 25;

const TONES: Record<Word, Tone> = {
  pending: "calm",
  queued: "busy",
  sent: "good",
  failed: "bad",
  skipped: "calm",
  uncertain: "warn",
  cancelled: "calm",
};

interface RecipientsTableProps {
  id: string;
  state: Word | "";
  label: string;
  every?: number | undefined; // Milliseconds between polls.
}

export function RecipientsTable({ id, state, label, every }: RecipientsTableProps) {
  const texts = useText();
  const { can } = useSession();
  const query = campaigns.recipients(id, { state, limit: ROWS });
  const list = usePaged(query, { pagesMax: 40, ...(every && { every }) });
  return (
    <DataTable
      label={label}
      columns={columnsOf(texts, can("campaigns:manage"))}
      rows={list.items}
      rowKey={(one) => `${one.row}`}
      error={list.error}
      since={list.since}
      next={list.next}
      empty={<Quiet>{texts.campaigns.noRecipients}</Quiet>}
    />
  );
}

/** `sees`: the person sees whole numbers, which lead to the contact. */
function columnsOf(texts: Texts, sees: boolean): Column<CampaignRecipient>[] {
  const t = texts.campaigns;
  return [
    { key: "row", head: t.row, narrow: true, align: "right", cell: ({ row }) => row },
    {
      key: "number",
      head: t.number,
      narrow: true,
      phone: "title",
      cell: (one) =>
        sees && one.number ? (
          <Link href={`/contacts/${one.number}`}>{numberOf(one)}</Link>
        ) : (
          numberOf(one)
        ),
    },
    {
      key: "state",
      head: t.state,
      narrow: true,
      phone: "mark",
      cell: ({ state }) => <State tone={TONES[state]}>{t.recipientStates[state]}</State>,
    },
    { key: "why", head: t.reason, cell: (one) => whyOf(one, texts) },
    {
      key: "message",
      head: t.message,
      narrow: true,
      cell: ({ message }) =>
        message && <Link href={`/messages/${message}`}>{texts.campaigns.toMessage}</Link>,
    },
  ];
}

/** The number, or what the file had in its place. */
export function numberOf({ number, original }: CampaignRecipient) {
  return <Mono>{number ?? original ?? "–"}</Mono>;
}

export function whyOf({ reason, code }: CampaignRecipient, texts: Texts): string {
  if (reason) return texts.campaigns.skipReasons[reason];
  return code ? [code, codeText(code, texts)].filter(Boolean).join(" · ") : "";
}
