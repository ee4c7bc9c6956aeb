// Who gets nothing, and why: rows that were refused, and those that the check leaves out.
import { Skeleton } from "@mantine/core";
import type { Campaign } from "../../../api/types.ts";
import { useWords } from "../../../texts/index.tsx";
import { Facts, Quiet } from "../../../ui/notes.tsx";
import { Panel } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem_note.tsx";
import { mostFrequentFirst, useOutcomes } from "../outcomes.ts";

interface OmittedProps {
  draft: Campaign;
  recipients: number | undefined; // Of the check; undefined: not known yet.
}

export function Omitted({ draft, recipients }: OmittedProps) {
  const { t: texts, format } = useWords();
  const t = texts.draft;
  const { counts } = draft;
  const { data, error } = useOutcomes(draft);
  const later = recipients === undefined ? 0 : Math.max(counts.pending - recipients, 0);
  if (counts.skipped === 0 && later === 0) return <Quiet>{t.omittedNone}</Quiet>;
  if (counts.skipped > 0 && !data) {
    return error ? <ProblemNote error={error} /> : <Skeleton height={60} />;
  }
  return (
    <Panel>
      <Facts
        facts={[
          ...mostFrequentFirst(data?.skipped ?? []).map(({ reason, count }) => ({
            name: texts.campaigns.skipReasons[reason],
            value: format.number(count),
          })),
          later > 0 && { name: t.omittedLater, value: format.number(later) },
        ]}
      />
    </Panel>
  );
}
