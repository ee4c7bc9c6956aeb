// A device's pace and its webhook.
import { Button, Group, NumberInput, Skeleton, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import type { Tagged } from "../../api/client.ts";
import { changeDevice, readDevice } from "../../api/devices.ts";
import type { Device } from "../../api/types.ts";
import { devices } from "../../queries/devices.ts";
import { useText } from "../../texts/index.tsx";
import classes from "../../ui/drawer.module.css";
import { useEdited } from "../../ui/edited.ts";
import { fieldProblems } from "../../ui/field_problems.ts";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";

export function DeviceSettings({ number }: { number: string }) {
  const t = useText().devices;
  const device = useQuery(devices.one(number));
  return (
    <section>
      <h3 className={classes.part}>{t.paceTitle}</h3>
      <ProblemNote error={device.error} />
      {device.data ? <PaceForm device={device.data} /> : <Skeleton height={200} radius="md" />}
    </section>
  );
}

const seconds = (milliseconds: number): number | string => milliseconds / 1000;
const milliseconds = (seconds: number | string) => Math.round(Number(seconds) * 1000);

function PaceForm({ device }: { device: Tagged<Device> }) {
  const t = useText();
  const { draft, set, save, busy, error } = useEdited({
    stored: device,
    draftOf: ({ gap_ms, jitter_ms, per_day_max, warm_up_days, webhook }) => ({
      gap: seconds(gap_ms),
      jitter: seconds(jitter_ms),
      cap: per_day_max ?? "",
      warmUp: warm_up_days as number | string,
      webhook: webhook ?? "",
    }),
    save: ({ gap, jitter, cap, warmUp, webhook }, { tag }) =>
      changeDevice(device.number, tag, {
        gap_ms: milliseconds(gap),
        jitter_ms: milliseconds(jitter),
        per_day_max: cap === "" ? null : Number(cap),
        warm_up_days: Number(warmUp),
        webhook: webhook || null,
      }),
    read: () => readDevice(device.number),
    refresh: useRefresh("device", "devices"),
    saved: t.devices.paceSaved,
  });
  const problems = fieldProblems(error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group grow align="flex-end">
          <NumberInput
            label={t.devices.gap}
            error={problems.of("gap_ms")}
            required
            withAsterisk={false}
            min={0}
            value={draft.gap}
            onChange={(gap) => set({ gap })}
            hideControls
          />
          <NumberInput
            label={t.devices.jitter}
            error={problems.of("jitter_ms")}
            required
            withAsterisk={false}
            min={0}
            value={draft.jitter}
            onChange={(jitter) => set({ jitter })}
            hideControls
          />
        </Group>
        <Group grow align="flex-end">
          <NumberInput
            label={t.devices.cap}
            error={problems.of("per_day_max")}
            placeholder={t.devices.noCap}
            min={1}
            value={draft.cap}
            onChange={(cap) => set({ cap })}
            hideControls
          />
          <NumberInput
            label={t.devices.warmUp}
            error={problems.of("warm_up_days")}
            required
            withAsterisk={false}
            min={0}
            value={draft.warmUp}
            onChange={(warmUp) => set({ warmUp })}
            hideControls
          />
        </Group>
        <p className={classes.warning}>{t.devices.warmUpHint}</p>
        <TextInput
          label={t.devices.webhook}
          error={problems.of("webhook")}
          description={t.devices.webhookHint}
          type="url"
          value={draft.webhook}
          onChange={(event) => set({ webhook: event.currentTarget.value })}
        />
        <ProblemNote error={error} fields={problems} />
        <Group>
          <Button type="submit" variant="default" loading={busy}>
            {t.common.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
