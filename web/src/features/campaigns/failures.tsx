// Why messages of a campaign failed, the most frequent reason first.
import { Button, Skeleton } from "@mantine/core";
import { retryCampaign } from "../../api/campaigns.ts";
import type { Campaign } from "../../api/types.ts";
import { useSession } from "../../session/session.tsx";
import { useWords } from "../../texts/index.tsx";
import { DataTable } from "../../ui/data_table.tsx";
import { codeText } from "../../ui/message_state.tsx";
import { Quiet } from "../../ui/notes.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { useAct } from "./act.ts";
import { mostFrequentFirst, useOutcomes } from "./outcomes.ts";

export function Failures({ campaign }: { campaign: Campaign }) {
  const { t: texts, format } = useWords();
  const t = texts.campaigns;
  const mayRetry = useSession().can("campaigns:manage");
  const { busy, act } = useAct();
  const { data, error } = useOutcomes(campaign);
  if (campaign.counts.failed === 0) return <Quiet>{t.noFailures}</Quiet>;
  if (!data) return error ? <ProblemNote error={error} /> : <Skeleton height={60} />;
  return (
    <DataTable
      label={t.why}
      rows={mostFrequentFirst(data.failed)}
      rowKey={(one) => `${one.code}`}
      empty={null}
      columns={[
        {
          key: "reason",
          head: t.reason,
          phone: "title",
          cell: ({ code }) => [code || "", codeText(code, texts)].filter(Boolean).join(" · "),
        },
        {
          key: "people",
          head: t.people,
          align: "right",
          narrow: true,
          phone: "mark",
          cell: (one) => format.number(one.count),
        },
        {
          key: "retry",
          head: "",
          align: "right",
          narrow: true,
          phone: "bare",
          cell: ({ code }) =>
            mayRetry &&
            code > 0 && (
              <Button
                variant="default"
                size="xs"
                loading={busy}
                onClick={() =>
                  void act(() => retryCampaign(campaign.id, "failed", code), t.retried)
                }
              >
                {t.retry}
              </Button>
            ),
        },
      ]}
    />
  );
}
