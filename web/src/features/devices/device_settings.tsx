// A device's pace and its webhook.
import { Button, Group, NumberInput, Skeleton, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Tagged } from "../../api/client.ts";
import { changeDevice } from "../../api/operations.ts";
import type { Device, DeviceChange } from "../../api/types.ts";
import { devices } from "../../queries/devices.ts";
import { useText } from "../../texts/index.tsx";
import classes from "../../ui/drawer.module.css";
import { type Edition, useEdition } from "../../ui/edition.ts";
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
      {device.data ? <Editor device={device.data} /> : <Skeleton height={200} radius="md" />}
    </section>
  );
}

function Editor({ device }: { device: Tagged<Device> }) {
  const t = useText().devices;
  const edition = useEdition({
    save: (tag, change: DeviceChange) => changeDevice(device.number, tag, change),
    reload: useRefresh("device", "devices"),
    saved: t.paceSaved,
  });
  return <PaceForm key={edition.round} device={device} edition={edition} />;
}

const seconds = (milliseconds: number) => milliseconds / 1000;
const milliseconds = (seconds: number | string) => Math.round(Number(seconds) * 1000);

interface PaceFormProps {
  device: Tagged<Device>;
  edition: Edition<DeviceChange>;
}

function PaceForm({ device, edition }: PaceFormProps) {
  const t = useText();
  const [tag] = useState(device.tag);
  const [gap, setGap] = useState<number | string>(seconds(device.gap_ms));
  const [jitter, setJitter] = useState<number | string>(seconds(device.jitter_ms));
  const [cap, setCap] = useState<number | string>(device.per_day_max ?? "");
  const [warmUp, setWarmUp] = useState<number | string>(device.warm_up_days);
  const [webhook, setWebhook] = useState(device.webhook ?? "");
  const problems = fieldProblems(edition.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const change = {
      gap_ms: milliseconds(gap),
      jitter_ms: milliseconds(jitter),
      per_day_max: cap === "" ? null : Number(cap),
      warm_up_days: Number(warmUp),
      webhook: webhook || null,
    };
    edition.save({ tag, change });
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
            value={gap}
            onChange={setGap}
            hideControls
          />
          <NumberInput
            label={t.devices.jitter}
            error={problems.of("jitter_ms")}
            required
            withAsterisk={false}
            min={0}
            value={jitter}
            onChange={setJitter}
            hideControls
          />
        </Group>
        <Group grow align="flex-end">
          <NumberInput
            label={t.devices.cap}
            error={problems.of("per_day_max")}
            placeholder={t.devices.noCap}
            min={1}
            value={cap}
            onChange={setCap}
            hideControls
          />
          <NumberInput
            label={t.devices.warmUp}
            error={problems.of("warm_up_days")}
            required
            withAsterisk={false}
            min={0}
            value={warmUp}
            onChange={setWarmUp}
            hideControls
          />
        </Group>
        <p className={classes.warning}>{t.devices.warmUpHint}</p>
        <TextInput
          label={t.devices.webhook}
          error={problems.of("webhook")}
          description={t.devices.webhookHint}
          type="url"
          value={webhook}
          onChange={(event) => setWebhook(event.currentTarget.value)}
        />
        <ProblemNote error={edition.error} fields={problems} />
        <Group>
          <Button type="submit" variant="default" loading={edition.busy}>
            {t.common.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
