// The message as recipients of the audience get it, one row after the other.
import { ActionIcon, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePaged } from "../../../live/paged.ts";
import { campaigns } from "../../../queries/campaigns.ts";
import { useWords } from "../../../texts/index.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { ProblemNote } from "../../../ui/problem_note.tsx";
import { Preview } from "../../send/preview.tsx";
import classes from "./draft.module.css";
import type { DraftShown } from "./draft_store.ts";
import { Problems } from "./problems.tsx";

const ROWS = 100;

export function RowPreview({ shown }: { shown: DraftShown }) {
  const { t: texts, format } = useWords();
  const t = texts.draft;
  const { id, tag } = shown.stored;
  const rows = usePaged(campaigns.recipients(id, { state: "pending", limit: ROWS }));
  const [wished, setPlace] = useState(0);
  const count = rows.items?.length ?? 0;
  const place = Math.max(0, Math.min(wished, count - 1));
  const row = rows.items?.[place];
  const { data, error } = useQuery({
    ...campaigns.preview(id, tag, row?.row),
    placeholderData: (previous) => previous,
    enabled: rows.items !== undefined,
    retry: false,
  });
  const step = (to: number) => {
    setPlace(to);
    if (to >= count - 1 && rows.next.has && !rows.next.loading) rows.next.load();
  };
  const isWaiting = shown.saving !== "saved";
  return (
    <div className={classes.preview} data-waits={isWaiting || undefined}>
      <Preview
        from={shown.draft.devices[0] ?? ""}
        text={[data?.header, data?.text, ...(data?.buttons ?? [])].filter(Boolean).join("\n\n")}
        url={data?.media ?? undefined}
      />
      <Group justify="space-between" wrap="nowrap" mt="xs">
        <Arrow name={t.previousRow} icon="left" to={place - 1} count={count} onStep={step} />
        <span className={classes.hint} aria-live="polite">
          {row
            ? t.previewOf(format.number(row.row), row.number ?? row.original ?? "")
            : rows.items && t.previewNone}
        </span>
        <Arrow name={t.nextRow} icon="right" to={place + 1} count={count} onStep={step} />
      </Group>
      <p className={classes.hint}>
        {isWaiting ? t.previewWaits : data && t.characters(format.number(data.characters))}
      </p>
      <ProblemNote error={error} />
      <Problems id={id} problems={data?.problems ?? []} here="message" />
    </div>
  );
}

interface ArrowProps {
  name: string;
  icon: "left" | "right";
  to: number;
  count: number;
  onStep: (to: number) => void;
}

function Arrow({ name, icon, to, count, onStep }: ArrowProps) {
  const ends = to < 0 || to >= count;
  return (
    <ActionIcon
      variant="default"
      aria-label={name}
      // Not disabled: a button that has the focus would lose it.
      aria-disabled={ends || undefined}
      data-disabled={ends || undefined}
      onClick={() => !ends && onStep(to)}
    >
      <Icon name={icon} size={16} />
    </ActionIcon>
  );
}
