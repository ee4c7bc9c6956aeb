// How many people, how long, and how much credit.
import { useQuery } from "@tanstack/react-query";
import type { Campaign, CampaignCheck } from "../../../api/types.ts";
import { accounts } from "../../../queries/accounts.ts";
import { useWords } from "../../../texts/index.tsx";
import { Figures } from "../../../ui/figures.tsx";

interface EstimateProps {
  check: CampaignCheck;
  draft: Campaign;
}

export function Estimate({ check, draft }: EstimateProps) {
  const { t: texts, format } = useWords();
  const t = texts.draft;
  const { data: account } = useQuery(accounts.own(draft.account));
  const balance = account?.credit;
  const credit =
    typeof balance === "number"
      ? { value: check.credit, note: t.creditOf(format.number(balance)) }
      : { value: balance === null ? t.creditFree : undefined, note: undefined };
  return (
    <Figures
      figures={[
        { name: t.people, value: check.recipients },
        {
          name: t.time,
          value: check.seconds === null ? t.timeUnknown : format.span(check.seconds),
        },
        {
          name: t.credit,
          ...credit,
          bad: check.problems.some(({ code }) => code === "credit"),
        },
      ]}
    />
  );
}
