// Who gets nothing, and why: rows that were refused, and those that the check leaves out.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { listRecipients } from "../../../api/campaigns.ts";
import type { Campaign, CampaignRecipient, SkipReason } from "../../../api/types.ts";
import { firstItems } from "../../../live/paged.ts";
import { useWords } from "../../../texts/index.tsx";
import { Facts, Quiet } from "../../../ui/notes.tsx";
import { Panel } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem_note.tsx";

/** How many rows have each reason, the most frequent first. */
export function byReason(rows: Pick<CampaignRecipient, "reason">[]): [SkipReason, number][] {
  const counts = new Map<SkipReason, number>();
  for (const { reason } of rows) if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}

interface OmittedProps {
  draft: Campaign;
  recipients: number | undefined; // Of the check; undefined: not known yet.
}

export function Omitted({ draft, recipients }: OmittedProps) {
  const { t: texts, format } = useWords();
  const t = texts.draft;
  const { id, counts } = draft;
  const { data, error } = useQuery({
    queryKey: ["recipients", id, "reasons", counts.skipped],
    queryFn: (context) =>
      firstItems(
        (cursor, cancel) => listRecipients(id, { state: "skipped", limit: 1000, cursor }, cancel),
        context,
      ),
    enabled: counts.skipped > 0,
  });
  const later = recipients === undefined ? 0 : Math.max(counts.pending - recipients, 0);
  if (counts.skipped === 0 && later === 0) return <Quiet>{t.omittedNone}</Quiet>;
  if (counts.skipped > 0 && !data) {
    return error ? <ProblemNote error={error} /> : <Skeleton height={60} />;
  }
  const reasons = byReason(data?.items ?? []);
  return (
    <Panel>
      <Facts
        facts={[
          ...reasons.map(([reason, rows]) => ({
            name: texts.campaigns.skipReasons[reason],
            value: format.number(rows),
          })),
          later > 0 && { name: t.omittedLater, value: format.number(later) },
        ]}
      />
      {data?.more && <Quiet>{t.omittedFirst(format.number(data.items.length))}</Quiet>}
    </Panel>
  );
}
