// One device: its state, its pace, what can be done to it.
import { Button, Drawer, Group, NumberInput, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import {
  changeDevice,
  clearQueue,
  DEVICE_ACTIONS,
  type DeviceAction,
  readQueue,
  removeDevice,
} from "../api/operations.ts";
import type { Device } from "../api/types.ts";
import { usePollInterval } from "../live/live.tsx";
import { useSession } from "../session/session.tsx";
import { useText, useWords } from "../texts/index.tsx";
import { ConfirmByName } from "../ui/confirm.tsx";
import { DeviceState, isPaused } from "../ui/device_state.tsx";
import { Facts, Mono } from "../ui/notes.tsx";
import { useNotices } from "../ui/problem_note.tsx";
import { Ago } from "../ui/time.tsx";
import classes from "./message_drawer.module.css";
import { PairingDialog } from "./pairing_dialog.tsx";

interface DeviceDrawerProps {
  device: Device | undefined;
  onClose: () => void;
}

export function DeviceDrawer({ device, onClose }: DeviceDrawerProps) {
  const t = useText();
  return (
    <Drawer
      opened={device !== undefined}
      onClose={onClose}
      title={device ? <Mono>{device.number}</Mono> : ""}
      size={480}
      closeButtonProps={{ "aria-label": t.common.close }}
    >
      {device && <DeviceView key={device.number} device={device} onGone={onClose} />}
    </Drawer>
  );
}

function DeviceView({ device, onGone }: { device: Device; onGone: () => void }) {
  const { t: texts, format } = useWords();
  const t = texts.devices;
  const { can } = useSession();
  const queue = useQuery({
    queryKey: ["device", "queue", device.number],
    queryFn: () => readQueue(device.number),
    enabled: can("devices:manage"),
    refetchInterval: usePollInterval(),
  });
  return (
    <Stack gap="lg">
      <div className={classes.head}>
        <DeviceState device={device} />
        <span className={classes.outcome}>
          <Ago time={device.state_since} />
        </span>
      </div>
      {can("devices:manage") && <Actions device={device} />}
      <Facts
        facts={[
          { name: t.connector, value: device.connector },
          queue.data !== undefined && {
            name: t.waiting,
            value: format.number(queue.data.waiting),
          },
          device.paused_since !== null && {
            name: t.states.paused,
            value: device.paused_reason ?? t.states.paused,
          },
          { name: t.webhook, value: device.webhook ? <Mono>{device.webhook}</Mono> : null },
        ]}
      />
      {can("devices:manage") && <PaceForm key={device.number} device={device} />}
      {can("devices:manage") && <Dangers device={device} onGone={onGone} />}
    </Stack>
  );
}

function useDeviceChange() {
  const queries = useQueryClient();
  return async () => {
    await queries.invalidateQueries({ queryKey: ["device"] });
    await queries.invalidateQueries({ queryKey: ["devices"] });
  };
}

function Actions({ device }: { device: Device }) {
  const t = useText().devices;
  const notices = useNotices();
  const changed = useDeviceChange();
  const [pairing, setPairing] = useDisclosure(false);
  const names: Record<DeviceAction, [string, string]> = {
    connect: [t.connect, t.connected],
    disconnect: [t.disconnect, t.disconnected],
    pause: [t.pause, t.paused],
    resume: [t.resume, t.resumed],
  };
  const act = useMutation({
    mutationFn: (action: DeviceAction): Promise<unknown> => DEVICE_ACTIONS[action](device.number),
    onSuccess: (_, action) => notices.done(names[action][1]),
    onError: notices.failed,
    onSettled: changed,
  });
  const isUp = device.state === "connected" || device.state === "reconnecting";
  const offered: DeviceAction[] = [
    isPaused(device) ? "resume" : "pause",
    isUp ? "disconnect" : "connect",
  ];
  return (
    <Group gap="xs">
      {!isUp && (
        <Button size="xs" onClick={setPairing.open}>
          {t.pair}
        </Button>
      )}
      {offered.map((action) => (
        <Button
          key={action}
          size="xs"
          variant="default"
          loading={act.isPending && act.variables === action}
          onClick={() => act.mutate(action)}
        >
          {names[action][0]}
        </Button>
      ))}
      <PairingDialog number={device.number} opened={pairing} onClose={setPairing.close} />
    </Group>
  );
}

const seconds = (milliseconds: number) => milliseconds / 1000;

function PaceForm({ device }: { device: Device }) {
  const t = useText();
  const notices = useNotices();
  const changed = useDeviceChange();
  const [gap, setGap] = useState<number | string>(seconds(device.gap_ms));
  const [jitter, setJitter] = useState<number | string>(seconds(device.jitter_ms));
  const [cap, setCap] = useState<number | string>(device.per_day_max ?? "");
  const [warmUp, setWarmUp] = useState<number | string>(device.warm_up_days);
  const [webhook, setWebhook] = useState(device.webhook ?? "");
  const save = useMutation({
    mutationFn: () =>
      changeDevice(device.number, {
        gap_ms: Math.round(Number(gap) * 1000),
        jitter_ms: Math.round(Number(jitter) * 1000),
        per_day_max: cap === "" ? null : Number(cap),
        warm_up_days: Number(warmUp),
        webhook: webhook || null,
      }),
    onSuccess: () => notices.done(t.devices.paceSaved),
    onError: notices.failed,
    onSettled: changed,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <h3 className={classes.part}>{t.devices.paceTitle}</h3>
      <Stack gap="sm">
        <Group grow align="flex-end">
          <NumberInput label={t.devices.gap} min={0} value={gap} onChange={setGap} hideControls />
          <NumberInput
            label={t.devices.jitter}
            min={0}
            value={jitter}
            onChange={setJitter}
            hideControls
          />
        </Group>
        <Group grow align="flex-start">
          <NumberInput
            label={t.devices.cap}
            description={t.devices.capHint}
            min={1}
            value={cap}
            onChange={setCap}
            hideControls
          />
          <NumberInput
            label={t.devices.warmUp}
            description={t.devices.warmUpHint}
            min={0}
            value={warmUp}
            onChange={setWarmUp}
            hideControls
          />
        </Group>
        <TextInput
          label={t.devices.webhook}
          description={t.devices.webhookHint}
          type="url"
          value={webhook}
          onChange={(event) => setWebhook(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={save.isPending}>
            {t.common.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Dangers({ device, onGone }: { device: Device; onGone: () => void }) {
  const t = useText();
  const notices = useNotices();
  const changed = useDeviceChange();
  const [asked, setAsked] = useState<"clear" | "remove" | undefined>();
  const clear = async () => {
    await clearQueue(device.number);
    notices.done(t.devices.cleared);
    await changed();
  };
  const remove = async () => {
    await removeDevice(device.number);
    notices.done(t.devices.removed);
    await changed();
    onGone();
  };
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" onClick={() => setAsked("clear")}>
        {t.devices.clear}
      </Button>
      <Button size="xs" variant="light" color="red" onClick={() => setAsked("remove")}>
        {t.devices.remove}
      </Button>
      <ConfirmByName
        title={asked === "remove" ? t.devices.remove : t.devices.clear}
        text={asked === "remove" ? t.devices.removeText : t.devices.clearText}
        name={device.number}
        action={asked === "remove" ? t.devices.remove : t.devices.clear}
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        onConfirm={asked === "remove" ? remove : clear}
      />
    </Group>
  );
}
