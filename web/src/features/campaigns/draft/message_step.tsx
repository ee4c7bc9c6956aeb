// What recipients get: texts, media, and how it looks for real rows.
import { Stack, Switch } from "@mantine/core";
import { useText } from "../../../texts/index.tsx";
import { Panel } from "../../../ui/page.tsx";
import { ContentField } from "./content_field.tsx";
import classes from "./draft.module.css";
import type { DraftPart } from "./draft_part.ts";
import type { DraftShown } from "./draft_store.ts";
import { RowPreview } from "./row_preview.tsx";

export function MessageStep({ shown, ...part }: DraftPart & { shown: DraftShown }) {
  const t = useText().draft;
  const { draft, change } = part;
  return (
    <div className={classes.columns}>
      <Panel>
        <Stack gap="md">
          <ContentField {...part} />
          <Switch
            label={t.typing}
            checked={draft.typing}
            onChange={(event) => change({ typing: event.currentTarget.checked })}
          />
        </Stack>
      </Panel>
      <RowPreview shown={shown} />
    </div>
  );
}
