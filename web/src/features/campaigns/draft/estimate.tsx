// How many people, how long, and how much credit.
import { useQuery } from "@tanstack/react-query";
import { readAccount } from "../../../api/operations.ts";
import type { Campaign, CampaignCheck } from "../../../api/types.ts";
import { useWords } from "../../../texts/index.tsx";
import { Figures } from "../../../ui/figures.tsx";

interface EstimateProps {
  check: CampaignCheck;
  draft: Campaign;
}

export function Estimate({ check, draft }: EstimateProps) {
  const { t: texts, format } = useWords();
  const t = texts.draft;
  const { data: account } = useQuery({
    queryKey: ["account", draft.account],
    queryFn: (context) => readAccount(draft.account, context),
  });
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
