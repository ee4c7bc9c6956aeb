// Why messages of a campaign failed, the most frequent reason first.
import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { listRecipients, retryCampaign } from "../../api/campaigns.ts";
import type { CampaignRecipient } from "../../api/types.ts";
import { type FirstItems, firstItems } from "../../live/paged.ts";
import { useSession } from "../../session/session.tsx";
import { useWords } from "../../texts/index.tsx";
import { DataTable } from "../../ui/data_table.tsx";
import { codeText } from "../../ui/message_state.tsx";
import { Quiet } from "../../ui/notes.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { useAct } from "./act.ts";

const FRESH = 10_000;

interface Failed {
  code: number;
  people: number;
}

export function byReason({ items }: Pick<FirstItems<CampaignRecipient>, "items">): Failed[] {
  const people = new Map<number, number>();
  for (const { code } of items) people.set(code ?? 0, (people.get(code ?? 0) ?? 0) + 1);
  return [...people]
    .map(([code, count]) => ({ code, people: count }))
    .sort((one, other) => other.people - one.people);
}

/** `failed` is the number of failures, which tells when there are new ones. */
export function Failures({ id, failed }: { id: string; failed: number }) {
  const { t: texts, format } = useWords();
  const t = texts.campaigns;
  const mayRetry = useSession().can("campaigns:manage");
  const { busy, act } = useAct();
  const { data, error } = useQuery({
    queryKey: ["campaign failures", id, failed],
    queryFn: (context) =>
      firstItems(
        (cursor, cancel) => listRecipients(id, { state: "failed", limit: 1000, cursor }, cancel),
        context,
      ),
    placeholderData: (previous) => previous,
    staleTime: FRESH,
    enabled: failed > 0,
  });
  if (failed === 0) return <Quiet>{t.noFailures}</Quiet>;
  if (!data) return error ? <ProblemNote error={error} /> : <Skeleton height={60} />;
  return (
    <>
      {data.more && <Quiet>{t.whyMore(format.number(data.items.length))}</Quiet>}
      <DataTable
        label={t.why}
        rows={byReason(data)}
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
            cell: (one) => format.number(one.people),
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
                  onClick={() => void act(() => retryCampaign(id, "failed", code), t.retried)}
                >
                  {t.retry}
                </Button>
              ),
          },
        ]}
      />
    </>
  );
}
