// When a campaign pauses by itself.
import { NumberInput } from "@mantine/core";
import type { Campaign } from "../../../api/types.ts";
import { useText } from "../../../texts/index.tsx";
import classes from "./draft.module.css";
import type { DraftPart } from "./draft_part.ts";

type Rule = keyof Campaign["stop_rules"];

const MOST: Record<Rule, number> = {
  failures_in_row: 1_000_000,
  unregistered_percent: 100,
  opt_outs_per_hundred: 100,
};

export function StopFields({ draft, refused, change }: DraftPart) {
  const t = useText().draft;
  const names: Record<Rule, string> = {
    failures_in_row: t.failuresInRow,
    unregistered_percent: t.unregistered,
    opt_outs_per_hundred: t.optOuts,
  };
  const rules = draft.stop_rules;
  return (
    <div className={classes.pair}>
      {(Object.keys(names) as Rule[]).map((rule) => (
        <NumberInput
          key={rule}
          label={names[rule]}
          error={rule === "failures_in_row" ? refused.stop_rules : undefined}
          placeholder={t.noLimit}
          min={1}
          max={MOST[rule]}
          allowDecimal={false}
          value={rules[rule] ?? ""}
          onChange={(value) =>
            change({ stop_rules: { ...rules, [rule]: value === "" ? null : +value } })
          }
          hideControls
        />
      ))}
    </div>
  );
}
