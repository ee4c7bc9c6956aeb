// How far a campaign is, and its state in words.
import type { Campaign, CampaignState as Word } from "../../api/types.ts";
import { useText, useWords } from "../../texts/index.tsx";
import { Bar } from "../../ui/bar.tsx";
import { State, type Tone } from "../../ui/state.tsx";
import classes from "./campaigns.module.css";

const TONES: Record<Word, Tone> = {
  draft: "calm",
  scheduled: "busy",
  running: "busy",
  paused: "warn",
  finished: "good",
  cancelled: "calm",
};

export function CampaignState({ state }: { state: Word }) {
  const t = useText().campaigns;
  return <State tone={TONES[state]}>{t.states[state]}</State>;
}

/** Recipients about whom all is decided. */
export function decided({ counts }: Pick<Campaign, "counts">): number {
  return counts.total - counts.pending - counts.queued - counts.uncertain;
}

/** A bar with its figures in words, which are enough without it. */
export function CampaignProgress({ campaign }: { campaign: Campaign }) {
  const { t, format } = useWords();
  const { counts } = campaign;
  const part = decided(campaign);
  return (
    <div>
      <Bar label={t.campaigns.progress} value={part} max={counts.total} />
      <div className={classes.done}>
        {t.campaigns.done(format.number(part), format.number(counts.total))}
      </div>
    </div>
  );
}

/** Whether counts may change without anybody's doing. */
export function moves({ state, counts }: Pick<Campaign, "state" | "counts">): boolean {
  return state === "running" || state === "scheduled" || counts.queued > 0;
}
