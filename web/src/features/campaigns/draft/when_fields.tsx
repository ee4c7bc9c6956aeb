// Pace, quiet hours, and the times between which a campaign is sent.
import { NumberInput, Select, Stack, Switch } from "@mantine/core";
import { TimePicker } from "@mantine/dates";
import type { Campaign } from "../../../api/types.ts";
import { useText } from "../../../texts/index.tsx";
import { MomentField } from "../../../ui/moment_field.tsx";
import classes from "./draft.module.css";
import type { DraftPart } from "./draft_part.ts";

export const USUAL_QUIET_HOURS = { from: "20:00", to: "08:00" };

const PACE_MAX = 1_000_000;

export function WhenFields(part: DraftPart) {
  const { draft, refused, change } = part;
  const { draft: t, campaigns } = useText();
  return (
    <Stack gap="md">
      <div className={classes.pair}>
        <NumberInput
          label={campaigns.paceLabel}
          description={campaigns.paceHint}
          error={refused.pace}
          placeholder={campaigns.paceNone}
          min={1}
          max={PACE_MAX}
          allowDecimal={false}
          value={draft.pace?.per_minute ?? ""}
          onChange={(value) => change({ pace: value === "" ? null : { per_minute: +value } })}
          hideControls
        />
      </div>
      <QuietHours {...part} />
      <div className={classes.pair}>
        <MomentField
          label={t.schedule}
          description={t.scheduleHint}
          value={draft.schedule_at ?? ""}
          onChange={(at) => change({ schedule_at: at || null })}
          error={refused.schedule_at}
          atEnd
        />
        <MomentField
          label={t.finishBy}
          description={t.finishByHint}
          value={draft.finish_by ?? ""}
          onChange={(at) => change({ finish_by: at || null })}
          error={refused.finish_by}
          atEnd
        />
      </div>
    </Stack>
  );
}

function QuietHours({ draft, refused, change }: DraftPart) {
  const t = useText().draft;
  const hours = draft.quiet_hours;
  const set = (part: Partial<NonNullable<Campaign["quiet_hours"]>>) =>
    change({ quiet_hours: { ...(hours ?? USUAL_QUIET_HOURS), ...part } });
  return (
    <div>
      <Switch
        label={t.quietOn}
        checked={hours !== null}
        onChange={(event) =>
          change({ quiet_hours: event.currentTarget.checked ? USUAL_QUIET_HOURS : null })
        }
      />
      {hours && (
        <div className={classes.quiet}>
          <HourField name={t.quietFrom} value={hours.from} onChange={(from) => set({ from })} />
          <HourField name={t.quietTo} value={hours.to} onChange={(to) => set({ to })} />
          <Select
            label={t.timezone}
            error={refused.timezone}
            data={timeZones(draft.timezone)}
            value={draft.timezone}
            onChange={(timezone) => timezone && change({ timezone })}
            limit={100}
            searchable
          />
        </div>
      )}
    </div>
  );
}

interface HourFieldProps {
  name: string;
  value: string;
  onChange: (time: string) => void;
}

function HourField({ name, value, onChange }: HourFieldProps) {
  const { draft: t, common } = useText();
  return (
    <TimePicker
      label={name}
      value={value}
      onChange={(time) => time !== "" && onChange(time.slice(0, 5))}
      hoursInputLabel={`${t.quiet}, ${name}: ${common.hours}`}
      minutesInputLabel={`${t.quiet}, ${name}: ${common.minutes}`}
    />
  );
}

function timeZones(present: string): string[] {
  return [...new Set([present, "Asia/Jakarta", ...Intl.supportedValuesOf("timeZone")])];
}
