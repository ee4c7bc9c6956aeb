// Starts the campaign, now or at a time, after a last look at what that means.
import { Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { startCampaign } from "../../../api/campaigns.ts";
import { Problem } from "../../../api/problem.ts";
import type { CampaignCheck } from "../../../api/types.ts";
import { useText, useWords } from "../../../texts/index.tsx";
import { FormDialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { MomentField } from "../../../ui/moment_field.tsx";
import { Panel } from "../../../ui/page.tsx";
import { useAct } from "../act.ts";
import classes from "./draft.module.css";
import type { DraftPart } from "./draft_part.ts";
import type { DraftStore } from "./draft_store.ts";

interface StartProps extends DraftPart {
  store: DraftStore;
  check: CampaignCheck | undefined;
  onRefused: () => void;
}

type Way = "now" | "later";

export function Start({ draft, refused, change, store, check, onRefused }: StartProps) {
  const { t: texts, format } = useWords();
  const t = texts.draft;
  const { done } = useAct();
  const [asked, setAsked] = useState(false);
  const [way, setWay] = useState<Way>(draft.schedule_at ? "later" : "now");
  const isLater = way === "later";
  const choose = (next: Way) => {
    setWay(next);
    if (next === "now" && draft.schedule_at) change({ schedule_at: null });
  };
  const start = async () => {
    await store.flush();
    // What is started is what is stored.
    if (store.now().saving !== "saved") throw new Problem(409, "unsaved", t.unsaved);
    try {
      await startCampaign(draft.id);
    } catch (error) {
      onRefused();
      throw error;
    }
    await done(isLater ? t.scheduled : t.started);
  };
  const people = format.number(check?.recipients ?? draft.counts.pending);
  return (
    <Panel>
      <Stack gap="md">
        <SegmentedControl
          className={classes.choice}
          aria-label={t.start}
          value={way}
          onChange={(value) => choose(value as Way)}
          data={[
            { value: "now", label: t.startWays.now },
            { value: "later", label: t.startWays.later },
          ]}
        />
        {isLater && (
          <MomentField
            label={t.schedule}
            value={draft.schedule_at ?? ""}
            onChange={(at) => change({ schedule_at: at || null })}
            error={refused.schedule_at}
            atEnd
          />
        )}
        <Group>
          <Button
            leftSection={<Icon name={isLater ? "clock" : "play"} size={16} />}
            disabled={!check?.ready || (isLater && !draft.schedule_at)}
            onClick={() => setAsked(true)}
          >
            {isLater ? t.startLater : t.startNow}
          </Button>
        </Group>
      </Stack>
      <FormDialog
        title={t.startTitle}
        opened={asked}
        onClose={() => setAsked(false)}
        action={isLater ? t.startLater : t.startNow}
        onSubmit={start}
      >
        <Confirmed people={people} at={isLater ? draft.schedule_at : null} />
      </FormDialog>
    </Panel>
  );
}

function Confirmed({ people, at }: { people: string; at: string | null }) {
  const t = useText().draft;
  const { format } = useWords();
  return (
    <Text size="sm">
      {t.startText(people)} {at && t.startAt(format.dateTime(at))}
    </Text>
  );
}
