// Who gets nothing because they have got enough.
import { MultiSelect, NumberInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Campaign } from "../../../api/types.ts";
import { campaigns } from "../../../queries/campaigns.ts";
import { useText } from "../../../texts/index.tsx";
import classes from "./draft.module.css";
import type { DraftPart } from "./draft_part.ts";

const DAYS_MAX = 3650;
const MESSAGES_MAX = 1000;
const USUAL_DAYS = 7;
const OFFERED = 100; // The newest campaigns.

type Exclusion = Campaign["exclude"];

/** Without any part there is no exclusion. */
export function exclusionOf(campaigns: string[], days: number | undefined): Exclusion {
  if (campaigns.length === 0 && days === undefined) return null;
  return {
    ...(campaigns.length > 0 && { campaigns }),
    ...(days !== undefined && { contacted_within_days: days }),
  };
}

export function LimitsFields({ draft, refused, change }: DraftPart) {
  const t = useText().draft;
  const excluded = draft.exclude?.campaigns ?? [];
  const days = draft.exclude?.contacted_within_days;
  const often = draft.frequency;
  return (
    <div className={classes.pair}>
      <NumberInput
        label={t.contactedDays}
        error={refused.exclude}
        placeholder={t.noLimit}
        min={1}
        max={DAYS_MAX}
        allowDecimal={false}
        value={days ?? ""}
        onChange={(value) =>
          change({ exclude: exclusionOf(excluded, value === "" ? undefined : +value) })
        }
        hideControls
      />
      <MultiSelect
        label={t.excluded}
        data={useOtherCampaigns(draft, excluded)}
        value={excluded}
        onChange={(ids) => change({ exclude: exclusionOf(ids, days) })}
        searchable
        hidePickedOptions
      />
      <NumberInput
        label={t.frequency}
        error={refused.frequency}
        placeholder={t.noLimit}
        min={1}
        max={MESSAGES_MAX}
        allowDecimal={false}
        value={often?.messages ?? ""}
        onChange={(value) =>
          change({
            frequency: value === "" ? null : { messages: +value, days: often?.days ?? USUAL_DAYS },
          })
        }
        hideControls
      />
      <NumberInput
        label={t.frequencyDays}
        disabled={!often}
        min={1}
        max={DAYS_MAX}
        allowDecimal={false}
        value={often?.days ?? ""}
        onChange={(value) =>
          often && value !== "" && change({ frequency: { ...often, days: +value } })
        }
        hideControls
      />
    </div>
  );
}

function useOtherCampaigns(draft: Campaign, chosen: string[]) {
  const { account, id } = draft;
  const { data } = useQuery(campaigns.latest(account, OFFERED));
  const others = (data?.items ?? []).filter((one) => one.id !== id && one.state !== "draft");
  const choices = others.map((one) => ({ value: one.id, label: one.name }));
  for (const one of chosen) {
    if (!choices.some(({ value }) => value === one)) choices.push({ value: one, label: one });
  }
  return choices;
}
