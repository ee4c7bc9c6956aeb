// How a campaign is sent: from where, to whom not, when, how fast, and when it stops by itself.
import { SegmentedControl, Select, Stack, Textarea, TextInput } from "@mantine/core";
import type { Campaign } from "../../../api/types.ts";
import { useText } from "../../../texts/index.tsx";
import { Panel, Section } from "../../../ui/page.tsx";
import { DevicesField } from "../devices_field.tsx";
import classes from "./draft.module.css";
import type { DraftPart } from "./draft_part.ts";
import { LimitsFields } from "./limits_fields.tsx";
import { StopFields } from "./stop_fields.tsx";
import { USUAL_QUIET_HOURS, WhenFields } from "./when_fields.tsx";

export function Sending(part: DraftPart) {
  const t = useText().draft;
  return (
    <>
      <Panel>
        <WhoFields {...part} />
      </Panel>
      <Section title={t.groupWhen}>
        <Panel>
          <WhenFields {...part} />
        </Panel>
      </Section>
      <Section title={t.groupLimits}>
        <Panel>
          <LimitsFields {...part} />
        </Panel>
      </Section>
      <Section title={t.groupStops} lead={t.stopsHint}>
        <Panel>
          <StopFields {...part} />
        </Panel>
      </Section>
    </>
  );
}

type Purpose = Campaign["purpose"];

function WhoFields({ draft, refused, change }: DraftPart) {
  const texts = useText();
  const t = texts.draft;
  const choices = <Value extends string>(texts: Record<Value, string>) =>
    Object.entries<string>(texts).map(([value, label]) => ({ value, label }));
  return (
    <Stack gap="md">
      <div className={classes.pair}>
        <TextInput
          label={t.name}
          description={t.nameHint}
          error={refused.name}
          maxLength={200}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <DevicesField
          value={draft.devices}
          onChange={(devices) => change({ devices })}
          error={refused.devices}
        />
      </div>
      <div>
        <p className={classes.label}>{t.purpose}</p>
        <SegmentedControl
          aria-label={t.purpose}
          value={draft.purpose}
          onChange={(value) => change(choicesOf(value as Purpose, draft))}
          data={choices(texts.draft.purposes)}
        />
      </div>
      <div className={classes.pair}>
        <Textarea
          label={t.consent}
          description={t.consentHint}
          error={refused.consent}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={2000}
          value={draft.consent ?? ""}
          onChange={(event) => change({ consent: event.currentTarget.value || null })}
        />
        <Select
          label={t.optout}
          description={t.optoutHint}
          error={refused.optout}
          data={choices(texts.draft.optouts)}
          value={draft.optout}
          onChange={(value) => change({ optout: (value ?? "none") as Campaign["optout"] })}
        />
      </div>
      <TextInput
        label={t.callback}
        description={t.callbackHint}
        error={refused.callback}
        type="url"
        placeholder="https://"
        maxLength={2048}
        value={draft.callback ?? ""}
        onChange={(event) => change({ callback: event.currentTarget.value || null })}
      />
    </Stack>
  );
}

/** The purpose, with its usual quiet hours and way to opt out. */
export function choicesOf(purpose: Purpose, draft: Pick<Campaign, "quiet_hours" | "optout">) {
  if (purpose === "marketing") {
    return {
      purpose,
      quiet_hours: draft.quiet_hours ?? USUAL_QUIET_HOURS,
      optout: draft.optout === "none" ? ("link" as const) : draft.optout,
    };
  }
  return { purpose, quiet_hours: null, optout: "none" as const };
}
