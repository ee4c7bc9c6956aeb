// One device: its state, its pace, its actions.
import { Button, Group, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { clearQueue, DEVICE_ACTIONS, type DeviceAction, removeDevice } from "../../api/devices.ts";
import { Problem } from "../../api/problem.ts";
import type { Device } from "../../api/types.ts";
import { usePollInterval } from "../../live/live.tsx";
import { devices } from "../../queries/devices.ts";
import { useSession } from "../../session/session.tsx";
import { useText, useWords } from "../../texts/index.tsx";
import { ConfirmByName } from "../../ui/confirm.tsx";
import { DeviceState, isNew, isPaused } from "../../ui/device_state.tsx";
import classes from "../../ui/drawer.module.css";
import { useIsShown } from "../../ui/is_shown.ts";
import { Facts, Mono, Note } from "../../ui/notes.tsx";
import { ProblemNote, useNotices } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import { SideDrawer } from "../../ui/side_drawer.tsx";
import { Stale } from "../../ui/stale.tsx";
import { Ago } from "../../ui/time.tsx";
import { countText } from "../../ui/waiting.ts";
import { CLOUD } from "./cloud/access.ts";
import { CloudSection } from "./cloud/cloud_section.tsx";
import { connectorName, SimulatedMark, useConnector } from "./connectors.tsx";
import { DeviceSettings } from "./device_settings.tsx";
import { PairingDialog } from "./pairing_dialog.tsx";

interface DeviceDrawerProps {
  number: string | undefined; // Undefined: the drawer is closed.
  listed: Device | undefined; // From the list; undefined: on a page that is not loaded.
  onClose: () => void;
}

export function DeviceDrawer({ number, listed, onClose }: DeviceDrawerProps) {
  const read = useQuery({
    ...devices.one(number ?? ""),
    enabled: number !== undefined && listed === undefined,
    refetchInterval: usePollInterval(),
  });
  const isShown = useIsShown();
  const gone = () => {
    if (isShown()) onClose();
  };
  const isGone = read.error instanceof Problem && read.error.status === 404;
  const device = listed ?? (isGone ? undefined : read.data);
  return (
    <SideDrawer
      opened={number !== undefined}
      onClose={onClose}
      title={<Mono>{number ?? ""}</Mono>}
      size={480}
    >
      {!device && <ProblemNote error={read.error} />}
      {device && !listed && <Stale error={read.error} since={read.dataUpdatedAt} />}
      {device && <DeviceView key={device.number} device={device} onGone={gone} />}
    </SideDrawer>
  );
}

function DeviceView({ device, onGone }: { device: Device; onGone: () => void }) {
  const { t: texts, format } = useWords();
  const t = texts.devices;
  const { can } = useSession();
  const connector = useConnector(device.connector);
  return (
    <Stack gap="lg">
      <div className={classes.head}>
        <DeviceState device={device} />
        <SimulatedMark device={device} />
        <span className={classes.outcome}>
          <Ago time={device.state_since} />
        </span>
      </div>
      {device.simulated && <Note calm>{texts.connectors.simulatedText}</Note>}
      {can("devices:manage") && <Actions device={device} />}
      <Facts
        facts={[
          // During pairing the dialog shows more.
          device.state !== "pairing" && {
            name: t.stateReason,
            value: device.state_reason,
          },
          device.restricted_until !== null && {
            name: t.restrictedUntil,
            value: format.dateTime(device.restricted_until),
          },
          {
            name: texts.connectors.label,
            value: connector ? connectorName(connector, texts) : device.connector,
          },
          device.waiting !== undefined && {
            name: t.waiting,
            value: countText(device, format),
          },
          device.paused_since !== null && {
            name: t.states.paused,
            value: device.paused_reason && t.pausedReasons[device.paused_reason],
          },
          { name: t.webhook, value: device.webhook ? <Mono>{device.webhook}</Mono> : null },
        ]}
      />
      {device.connector === CLOUD && <CloudSection device={device} />}
      {can("devices:manage") && <DeviceSettings number={device.number} />}
      {can("devices:manage") && <Dangers device={device} onGone={onGone} />}
    </Stack>
  );
}

function Actions({ device }: { device: Device }) {
  const texts = useText();
  const t = texts.devices;
  const notices = useNotices();
  const changed = useRefresh("device", "devices");
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
  const isUp = ["connected", "restricted", "reconnecting"].includes(device.state);
  const needsLink = isNew(device) || device.state === "logged_out";
  const hasAccess = device.connector !== CLOUD || device.cloud !== null;
  const offered: DeviceAction[] = [isPaused(device) ? "resume" : "pause"];
  if (isUp) offered.push("disconnect");
  else if (!needsLink) offered.push("connect");
  return (
    <Group gap="xs">
      {!isUp && hasAccess && (
        <Button size="xs" onClick={setPairing.open}>
          {device.connector === CLOUD ? texts.cloud.register : t.pair}
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
      <PairingDialog device={device} opened={pairing} onClose={setPairing.close} />
    </Group>
  );
}

function Dangers({ device, onGone }: { device: Device; onGone: () => void }) {
  const t = useText();
  const notices = useNotices();
  const changed = useRefresh("device", "devices");
  const [asked, setAsked] = useState<"clear" | "remove" | undefined>();
  const clear = async () => {
    await clearQueue(device.number);
    notices.done(t.devices.cleared);
    await changed();
  };
  const remove = async () => {
    await removeDevice(device.number);
    notices.done(t.devices.removed);
    onGone(); // Else the drawer would read a device that there is not any more.
    await changed();
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
