// Who gets the campaign: lists are added, and what became of their rows is shown.
import { Anchor, Button, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { emptyRecipients, recipientsAddress } from "../../../api/campaigns.ts";
import type { Campaign, Uploaded } from "../../../api/types.ts";
import type { FileForm } from "../../../api/upload.ts";
import { useText } from "../../../texts/index.tsx";
import { ConfirmByName } from "../../../ui/confirm.tsx";
import { CsvUpload } from "../../../ui/csv_upload.tsx";
import { Figures } from "../../../ui/figures.tsx";
import { Panel, Section } from "../../../ui/page.tsx";
import { useNotices } from "../../../ui/problem_note.tsx";
import { useAudienceChanged } from "./audience_changed.ts";
import classes from "./draft.module.css";
import { NumbersField } from "./numbers_field.tsx";
import { RefusedRows } from "./refused_rows.tsx";
import { TagsField } from "./tags_field.tsx";
import { forgetUpload, upload, useUpload } from "./uploads.ts";

const WAYS = ["file", "numbers", "tags"] as const;
type Way = (typeof WAYS)[number];

export function Audience({ draft }: { draft: Campaign }) {
  const t = useText().audience;
  const { counts } = draft;
  const [way, setWay] = useState<Way>("file");
  const [added, setAdded] = useState<Uploaded>();
  const shown = useUpload(draft.id);
  const changed = useAudienceChanged();
  const onAdded = (answer: Uploaded) => {
    forgetUpload(draft.id);
    setAdded(answer);
    void changed();
  };
  const onFile = async (file: File, form: FileForm) => {
    setAdded(undefined);
    const ended = await upload(draft.id, file, form);
    await changed();
    return ended;
  };
  const answer = shown?.answer ?? added;
  return (
    <>
      <Figures
        figures={[
          { name: t.rows, value: counts.total },
          { name: t.willGet, value: counts.pending },
          { name: t.leftOut, value: counts.skipped },
        ]}
      />
      <div className={classes.block}>
        <Panel>
          <SegmentedControl
            aria-label={t.waysLabel}
            value={way}
            onChange={(value) => setWay(value as Way)}
            data={WAYS.map((value) => ({ value, label: t.ways[value] }))}
          />
          <div className={classes.way}>
            {way === "file" && (
              <CsvUpload upload={shown} onUpload={onFile} action={t.upload} hint={t.fileHint} />
            )}
            {way === "numbers" && <NumbersField id={draft.id} onAdded={onAdded} />}
            {way === "tags" && <TagsField id={draft.id} onAdded={onAdded} />}
          </div>
        </Panel>
      </div>
      <div aria-live="polite">{answer && <Answer answer={answer} />}</div>
      {counts.skipped > 0 && <Refused id={draft.id} />}
      {counts.total > 0 && <Emptying draft={draft} onEmptied={() => setAdded(undefined)} />}
    </>
  );
}

function Answer({ answer }: { answer: Uploaded }) {
  const t = useText().audience;
  return (
    <Section
      title={t.answer}
      lead={answer.columns.length > 0 && t.columns(answer.columns.join(", "))}
    >
      <Figures
        figures={[
          { name: t.rows, value: answer.rows },
          { name: t.added, value: answer.added },
          { name: t.invalid, value: answer.invalid, bad: answer.invalid > 0 },
          { name: t.duplicate, value: answer.duplicate },
          { name: t.suppressed, value: answer.suppressed },
        ]}
      />
    </Section>
  );
}

function Refused({ id }: { id: string }) {
  const t = useText().audience;
  return (
    <Section
      title={t.refused}
      lead={t.refusedLead}
      actions={
        <Anchor size="sm" href={recipientsAddress(id, "skipped")} download="refused.csv">
          {t.downloadRefused}
        </Anchor>
      }
    >
      <RefusedRows id={id} />
    </Section>
  );
}

function Emptying({ draft, onEmptied }: { draft: Campaign; onEmptied: () => void }) {
  const t = useText().audience;
  const [asked, setAsked] = useState(false);
  const changed = useAudienceChanged();
  const notices = useNotices();
  const empty = async () => {
    await emptyRecipients(draft.id);
    forgetUpload(draft.id);
    onEmptied();
    await changed();
    notices.done(t.emptied);
  };
  return (
    <div className={classes.block}>
      <Button variant="default" onClick={() => setAsked(true)}>
        {t.empty}
      </Button>
      <ConfirmByName
        title={t.empty}
        text={t.emptyText}
        name={draft.name}
        action={t.empty}
        opened={asked}
        onClose={() => setAsked(false)}
        onConfirm={empty}
      />
    </div>
  );
}
