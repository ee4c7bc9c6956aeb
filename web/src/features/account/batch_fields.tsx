// Whether, and how, statuses are posted together.
import { Group, NumberInput, Stack, Switch } from "@mantine/core";
import type { CallbackBatch } from "../../api/types.ts";
import { useText } from "../../texts/index.tsx";
import type { FieldProblems } from "../../ui/field_problems.ts";

/** What the fields hold: numbers, or what is being typed. */
export interface BatchDraft {
  on: boolean;
  max: number | string;
  wait: number | string;
}

export function batchDraftOf(batch: CallbackBatch): BatchDraft {
  return { on: batch !== null, max: batch?.max ?? 100, wait: batch?.wait_ms ?? 200 };
}

export function batchOf({ on, max, wait }: BatchDraft): CallbackBatch {
  return on ? { max: Number(max), wait_ms: Number(wait) } : null;
}

interface BatchFieldsProps {
  draft: BatchDraft;
  onChange: (draft: BatchDraft) => void;
  problems: FieldProblems;
}

export function BatchFields({ draft, onChange, problems }: BatchFieldsProps) {
  const t = useText().account;
  return (
    <Stack gap="xs">
      <Switch
        label={t.batch}
        description={t.batchHint}
        checked={draft.on}
        onChange={(event) => onChange({ ...draft, on: event.currentTarget.checked })}
      />
      {draft.on && (
        <Group gap="sm" align="start" grow>
          <NumberInput
            label={t.batchMax}
            error={problems.of("callback_batch.max")}
            required
            withAsterisk={false}
            min={1}
            max={100}
            allowDecimal={false}
            hideControls
            value={draft.max}
            onChange={(max) => onChange({ ...draft, max })}
          />
          <NumberInput
            label={t.batchWait}
            error={problems.of("callback_batch.wait_ms")}
            required
            withAsterisk={false}
            min={0}
            max={5000}
            allowDecimal={false}
            hideControls
            value={draft.wait}
            onChange={(wait) => onChange({ ...draft, wait })}
          />
        </Group>
      )}
    </Stack>
  );
}
