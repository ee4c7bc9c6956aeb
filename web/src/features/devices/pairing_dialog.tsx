// Links a device to its platform: shows what to scan, to type or to answer, and the outcome.
import { Button, Loader, Modal, SegmentedControl, Stack } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { DEVICE_ACTIONS, pairDevice } from "../../api/devices.ts";
import type { Connector, Device, Pairing } from "../../api/types.ts";
import { devices } from "../../queries/devices.ts";
import { useText } from "../../texts/index.tsx";
import { isOnline, isPaused } from "../../ui/device_state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Note } from "../../ui/notes.tsx";
import { ProblemNote, useNotices } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import { CLOUD } from "./cloud/access.ts";
import { riskOf, useConnectors } from "./connectors.tsx";
import classes from "./pairing_dialog.module.css";
import { type Method, sorted, USUAL } from "./pairing_methods.ts";
import { type Queue, QueueFirst } from "./pairing_queue.tsx";
import { Step } from "./pairing_step.tsx";

interface PairingDialogProps {
  device: Device;
  opened: boolean;
  onClose: () => void;
}

export function PairingDialog({ device, opened, onClose }: PairingDialogProps) {
  const t = useText();
  const titleOf = device.connector === CLOUD ? t.cloud.registerTitle : t.devices.pairTitle;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={titleOf(device.number)}
      closeButtonProps={{ "aria-label": t.common.close }}
    >
      {opened && <Opened device={device} onClose={onClose} />}
    </Modal>
  );
}

interface OpenedProps {
  device: Device;
  onClose: () => void;
}

/** Goes on with a pairing that is under way: a new one would void what the person is typing. */
function Opened({ device, onClose }: OpenedProps) {
  const { number } = device;
  const [started, setStarted] = useState<Queue>();
  const connectors = useConnectors();
  const found = useQuery({
    ...devices.pairingFound(number),
    staleTime: "static", // No event reads it again: that would empty the field with the answer.
    gcTime: 0, // Read anew each time that the dialog is opened.
  });
  if (found.error) return <ProblemNote error={found.error} />;
  if (found.isPending || connectors.isLoading) return <Loader size="sm" />;
  const connector = connectors.data?.find((one) => one.name === device.connector);
  const step = isValid(found.data) ? found.data : undefined;
  if (!step && !started) return <QueueFirst number={number} onChosen={setStarted} />;
  return (
    <PairingView
      device={device}
      connector={connector}
      found={step}
      queue={started ?? "hold"}
      onClose={onClose}
    />
  );
}

function isValid(step: Pairing | undefined): boolean {
  const ends = step?.expires_at ? Date.parse(step.expires_at) : 0;
  return step?.state === "pairing" && step.payload !== null && ends > Date.now();
}

const PHONE = "(max-width: 700px)";

interface PairingViewProps {
  device: Device;
  connector: Connector | undefined;
  found: Pairing | undefined; // A step that is under way.
  queue: Queue;
  onClose: () => void;
}

function PairingView({ device, connector, found, queue, onClose }: PairingViewProps) {
  const texts = useText();
  const t = texts.devices;
  const { number } = device;
  const queries = useQueryClient();
  const linked = useRefresh("devices");
  const onPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false }) ?? false;
  const methods = sorted(connector?.pairing ?? USUAL, onPhone);
  const [method, setMethod] = useState((found?.method as Method | undefined) ?? methods[0]);
  const begin = useMutation({
    mutationFn: (by: Method | undefined) =>
      pairDevice(number, { ...(by && { method: by }), queue }),
    onSuccess: (pairing) => queries.setQueryData(devices.pairing(number).queryKey, pairing),
  });
  const { mutate } = begin;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the dialog is opened.
  useEffect(() => {
    if (!found) mutate(method);
  }, []);
  const change = (chosen: Method) => {
    setMethod(chosen);
    mutate(chosen);
  };
  const pairing = useQuery({
    ...devices.pairing(number),
    enabled: begin.isSuccess || found !== undefined,
    // Codes change every few seconds, so this polls even while events arrive.
    refetchInterval: (query) => (isLinked(query.state.data) ? false : 1000),
  });
  const step = begin.isSuccess ? pairing.data : begin.isIdle ? (pairing.data ?? found) : undefined;
  useEffect(() => {
    if (isLinked(step)) void linked();
  }, [step, linked]);
  if (isLinked(step)) return <Linked number={number} onClose={onClose} />;
  const risk = connector && riskOf(connector, texts);
  const label = device.connector === CLOUD ? texts.cloud.pinOrCode : undefined;
  return (
    <Stack gap="md">
      {methods.length > 1 && (
        <SegmentedControl
          // A phone has no room for more beside each other.
          orientation={onPhone && methods.length > 2 ? "vertical" : "horizontal"}
          fullWidth
          value={method ?? ""}
          onChange={(value) => change(value as Method)}
          data={methods.map((value) => ({ value, label: t.methods[value] }))}
        />
      )}
      <ProblemNote error={begin.error ?? pairing.error} />
      {!begin.error && <Step number={number} step={step} label={label} />}
      {(step?.reason || begin.error) && (
        <Button variant="default" onClick={() => mutate(method)} loading={begin.isPending}>
          {t.pairAgain}
        </Button>
      )}
      {method && <Steps steps={Object.values(t.steps[method])} />}
      {risk && (
        <Note>
          <strong>{texts.connectors.riskTitle}:</strong> {risk}
        </Note>
      )}
    </Stack>
  );
}

function Steps({ steps }: { steps: string[] }) {
  return (
    <ol className={classes.steps}>
      {steps.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ol>
  );
}

const isLinked = (step: Pairing | undefined) => step !== undefined && isOnline(step);

/** Says whether the device sends now: one that had waiting messages may be paused. */
function Linked({ number, onClose }: { number: string; onClose: () => void }) {
  const t = useText();
  const notices = useNotices();
  const refresh = useRefresh("device", "devices");
  const device = useQuery({ ...devices.linked(number), staleTime: 0 });
  const resume = useMutation({
    mutationFn: () => DEVICE_ACTIONS.resume(number),
    onSuccess: onClose,
    onError: notices.failed,
    onSettled: refresh,
  });
  const paused = device.data !== undefined && isPaused(device.data);
  return (
    <div className={classes.box} role="status">
      <span className={classes.done}>
        <Icon name="check" size={30} />
      </span>
      <strong>{t.devices.pairDone}</strong>
      {device.data && (
        <span className={classes.quiet}>
          {paused ? t.devices.pairDonePaused : t.devices.pairDoneText}
        </span>
      )}
      {paused && (
        <Button variant="default" loading={resume.isPending} onClick={() => resume.mutate()}>
          {t.devices.resumeNow}
        </Button>
      )}
      <Button onClick={onClose}>{t.common.close}</Button>
    </div>
  );
}
