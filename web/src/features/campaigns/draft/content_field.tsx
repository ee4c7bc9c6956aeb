// What recipients get: texts of the campaign's own, or, from numbers of the official platform, a
// template that the platform has approved.
import { SegmentedControl, Stack } from "@mantine/core";
import { useState } from "react";
import { useText } from "../../../texts/index.tsx";
import { useAllDevices } from "../../devices/all_devices.ts";
import { CLOUD } from "../../devices/cloud/access.ts";
import type { DraftPart } from "./draft_part.ts";
import { MediaField } from "./media_field.tsx";
import { TemplateField } from "./template_field.tsx";
import { TextsField } from "./texts_field.tsx";

const WAYS = ["text", "template"] as const;
type Way = (typeof WAYS)[number];

export function ContentField(part: DraftPart) {
  const t = useText().draft;
  const { draft, change } = part;
  const device = useTemplateDevice(draft.devices);
  // A way without a template cannot be kept yet.
  const [chosen, setChosen] = useState<Way>("text");
  const way = draft.template ? "template" : chosen;
  const choose = (next: Way) => {
    setChosen(next);
    if (draft.template) change({ template: null });
  };
  const offers = device !== undefined || draft.template !== null;
  return (
    <Stack gap="md">
      {offers && (
        <SegmentedControl
          aria-label={t.content}
          value={way}
          onChange={(value) => choose(value as Way)}
          data={WAYS.map((value) => ({ value, label: t.contents[value] }))}
        />
      )}
      {offers && way === "template" ? (
        <TemplateField {...part} device={device ?? draft.devices[0] ?? ""} />
      ) : (
        <>
          <TextsField {...part} />
          <MediaField {...part} />
        </>
      )}
    </Stack>
  );
}

/** The first of the campaign's numbers that is on the official platform. */
function useTemplateDevice(numbers: readonly string[]): string | undefined {
  const devices = useAllDevices().data?.items ?? [];
  return numbers.find((number) =>
    devices.some((one) => one.number === number && one.connector === CLOUD),
  );
}
