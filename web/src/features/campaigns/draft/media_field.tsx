// Media: none, one address for all, or the column that has each recipient's.
import { SegmentedControl, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useText } from "../../../texts/index.tsx";
import classes from "./draft.module.css";
import type { DraftPart } from "./draft_part.ts";

const WAYS = ["none", "url", "column"] as const;
type Way = (typeof WAYS)[number];

export function MediaField({ draft, refused, change }: DraftPart) {
  const t = useText().draft;
  const { media, columns } = draft;
  const stored: Way = media?.url ? "url" : media?.column ? "column" : "none";
  // A way without an address or a column cannot be kept yet.
  const [chosen, setChosen] = useState<Way>(stored);
  const way = stored === "none" ? chosen : stored;
  const choose = (next: Way) => {
    setChosen(next);
    if (media !== null) change({ media: null });
  };
  return (
    <div>
      <p className={classes.label}>{t.media}</p>
      <SegmentedControl
        aria-label={t.media}
        value={way}
        onChange={(value) => choose(value as Way)}
        data={WAYS.filter((one) => one !== "column" || columns.length > 0).map((value) => ({
          value,
          label: t.mediaWays[value],
        }))}
      />
      {way === "url" && (
        <TextInput
          mt="xs"
          label={t.mediaUrl}
          description={t.mediaUrlHint}
          error={refused.media}
          type="url"
          placeholder="https://"
          maxLength={2048}
          value={media?.url ?? ""}
          onChange={({ currentTarget: { value } }) =>
            change({ media: value === "" ? null : { url: value } })
          }
        />
      )}
      {way === "column" && (
        <Select
          mt="xs"
          label={t.mediaColumn}
          error={refused.media}
          data={columns}
          value={media?.column ?? null}
          onChange={(value) => change({ media: value ? { column: value } : null })}
        />
      )}
    </div>
  );
}
