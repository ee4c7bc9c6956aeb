// Links a device to a phone: shows a code to scan or to type, the remaining time, and the outcome.
import { Button, Loader, Modal, Radio, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import {
  answerPairing,
  pairDevice,
  readPairing,
  readQrCode,
  readQueue,
} from "../api/operations.ts";
import type { Pairing, PairingWish } from "../api/types.ts";
import { useText, useWords } from "../texts/index.tsx";
import { TypedName } from "../ui/confirm.tsx";
import { Icon } from "../ui/icon.tsx";
import { Copy } from "../ui/notes.tsx";
import { ProblemNote } from "../ui/problem_note.tsx";
import classes from "./pairing_dialog.module.css";

interface PairingDialogProps {
  number: string;
  opened: boolean;
  onClose: () => void;
}

export function PairingDialog({ number, opened, onClose }: PairingDialogProps) {
  const t = useText();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t.devices.pairTitle(number)}
      closeButtonProps={{ "aria-label": t.common.close }}
    >
      {opened && <QueueFirst number={number} onClose={onClose} />}
    </Modal>
  );
}

type Method = "qr" | "code";
type Queue = NonNullable<PairingWish["queue"]>;

/** Asks what to do with waiting messages, as the number may belong to another phone now. */
function QueueFirst({ number, onClose }: { number: string; onClose: () => void }) {
  const { t, format } = useWords();
  const [chosen, setChosen] = useState<Queue>();
  const [choice, setChoice] = useState<Queue>("hold");
  const [typed, setTyped] = useState("");
  const discards = choice === "discard";
  const queue = useQuery({
    queryKey: ["device", "queue", number],
    queryFn: () => readQueue(number),
    staleTime: 0,
  });
  if (queue.error) return <ProblemNote error={queue.error} />;
  if (!queue.data) return <Loader size="sm" />;
  if (chosen || queue.data.waiting === 0) {
    return <PairingView number={number} queue={chosen ?? "hold"} onClose={onClose} />;
  }
  return (
    <Stack gap="md">
      <Radio.Group
        label={t.devices.queueQuestion(format.number(queue.data.waiting))}
        value={choice}
        onChange={(value) => setChoice(value as Queue)}
      >
        <Stack gap="xs" mt="xs">
          {(["hold", "send", "discard"] as const).map((value) => (
            <Radio key={value} value={value} label={t.devices.queueChoices[value]} />
          ))}
        </Stack>
      </Radio.Group>
      {discards && <TypedName name={number} value={typed} onChange={setTyped} />}
      <Button disabled={discards && typed !== number} onClick={() => setChosen(choice)}>
        {t.devices.pair}
      </Button>
    </Stack>
  );
}

interface PairingViewProps {
  number: string;
  queue: Queue;
  onClose: () => void;
}

function PairingView({ number, queue, onClose }: PairingViewProps) {
  const t = useText().devices;
  const queries = useQueryClient();
  const [method, setMethod] = useState<Method>("qr");
  const begin = useMutation({
    mutationFn: (by: Method) => pairDevice(number, { method: by, queue }),
    onSuccess: (pairing) => queries.setQueryData(["pairing", number], pairing),
  });
  const { mutate } = begin;
  useEffect(() => mutate(method), [mutate, method]);
  const pairing = useQuery({
    queryKey: ["pairing", number],
    queryFn: () => readPairing(number),
    enabled: begin.isSuccess,
    // Codes change every few seconds, so this polls even while events arrive.
    refetchInterval: (query) => (query.state.data?.state === "connected" ? false : 1000),
  });
  const step = begin.isSuccess ? pairing.data : undefined;
  useEffect(() => {
    if (step?.state === "connected") void queries.invalidateQueries({ queryKey: ["devices"] });
  }, [step?.state, queries]);
  if (step?.state === "connected") return <Linked onClose={onClose} />;
  return (
    <Stack gap="md">
      <SegmentedControl
        value={method}
        onChange={(value) => setMethod(value as Method)}
        data={[
          { value: "qr", label: t.pairQr },
          { value: "code", label: t.pairCode },
        ]}
      />
      <ProblemNote error={begin.error ?? pairing.error} />
      {!begin.error && <Step number={number} step={step} />}
      {(step?.reason || begin.error) && (
        <Button variant="default" onClick={() => mutate(method)} loading={begin.isPending}>
          {t.pairAgain}
        </Button>
      )}
      <ol className={classes.steps}>
        <li>{t.pairSteps.one}</li>
        <li>{t.pairSteps.two}</li>
        <li>{t.pairSteps.three}</li>
      </ol>
    </Stack>
  );
}

function Step({ number, step }: { number: string; step: Pairing | undefined }) {
  const t = useText().devices;
  if (step?.reason) {
    return (
      <div className={classes.box} role="status">
        <strong>{t.pairEnded}</strong>
        <span className={classes.quiet}>{step.reason}</span>
      </div>
    );
  }
  if (!step?.payload) {
    return (
      <div className={classes.box} role="status">
        <Loader size="sm" />
        <span className={classes.quiet}>{t.pairStarting}</span>
      </div>
    );
  }
  return (
    <div className={classes.box}>
      {step.method === "qr" && <QrCode number={number} payload={step.payload} />}
      {step.method === "code" && (
        <div className={classes.code}>
          {step.payload}
          <Copy value={step.payload} />
        </div>
      )}
      {step.method !== "qr" && step.method !== "code" && <Answer number={number} step={step} />}
      <Countdown until={step.expires_at} />
    </div>
  );
}

/** On white in both themes: cameras need it. */
function QrCode({ number, payload }: { number: string; payload: string }) {
  const t = useText().devices;
  const drawn = useQuery({
    queryKey: ["qr", number, payload],
    queryFn: () => readQrCode(number),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (!drawn.data) return <Loader size="sm" />;
  return <img className={classes.qr} src={drawn.data} alt={t.pairQrAlt} width={264} height={264} />;
}

function Countdown({ until }: { until: string | null }) {
  const t = useText().devices;
  const [now, setNow] = useState(Date.now());
  useInterval(() => setNow(Date.now()), 1000, { autoInvoke: true });
  if (!until) return null;
  const left = Math.ceil((new Date(until).getTime() - now) / 1000);
  return (
    <span className={classes.quiet} role="timer">
      {left > 0 ? t.pairLeft(left) : t.pairRenewing}
    </span>
  );
}

/** A step that needs an answer: a one-time password, or a passkey's response. */
function Answer({ number, step }: { number: string; step: Pairing }) {
  const t = useText().devices;
  const [answer, setAnswer] = useState("");
  const send = useMutation({ mutationFn: () => answerPairing(number, answer) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate();
  };
  return (
    <form onSubmit={submit} className={classes.answer}>
      <span>{step.payload}</span>
      <TextInput
        label={t.pairAnswer}
        value={answer}
        onChange={(event) => setAnswer(event.currentTarget.value)}
        autoComplete="one-time-code"
      />
      <ProblemNote error={send.error} />
      <Button type="submit" loading={send.isPending} disabled={!answer}>
        {t.pairAnswerSend}
      </Button>
    </form>
  );
}

function Linked({ onClose }: { onClose: () => void }) {
  const t = useText();
  return (
    <div className={classes.box} role="status">
      <span className={classes.done}>
        <Icon name="check" size={30} />
      </span>
      <strong>{t.devices.pairDone}</strong>
      <span className={classes.quiet}>{t.devices.pairDoneText}</span>
      <Button onClick={onClose}>{t.common.close}</Button>
    </div>
  );
}
