// The present step of a pairing: a code to scan or to type, or a question to answer.
import { Button, Loader, TextInput } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answerPairing } from "../../api/devices.ts";
import { Problem } from "../../api/problem.ts";
import type { Pairing } from "../../api/types.ts";
import { devices } from "../../queries/devices.ts";
import { useText, useWords } from "../../texts/index.tsx";
import { Code, Copy } from "../../ui/notes.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import classes from "./pairing_dialog.module.css";

interface StepProps {
  number: string;
  step: Pairing | undefined;
  label?: string | undefined; // Of what is typed; undefined: as the step says.
}

export function Step({ number, step, label }: StepProps) {
  const texts = useText();
  const t = texts.devices;
  if (step?.reason && !step.payload) {
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
  const asks = step.method !== "qr" && step.method !== "code";
  return (
    <div className={classes.box}>
      {step.method === "qr" && <QrCode number={number} payload={step.payload} />}
      {step.method === "code" && (
        <div className={classes.code}>
          {step.payload}
          <Copy value={step.payload} />
        </div>
      )}
      {/* The key keeps what is typed while the same question is asked. */}
      {asks && (
        <Answer
          key={`${step.method} ${step.payload}`}
          number={number}
          step={step}
          label={label ?? (step.method === "passkey" ? t.pairAnswerPasskey : t.pairAnswerOtp)}
        />
      )}
      <Countdown until={step.expires_at} />
    </div>
  );
}

/** On white in both themes: cameras need it. */
function QrCode({ number, payload }: { number: string; payload: string }) {
  const t = useText().devices;
  const drawn = useQuery({
    ...devices.qr(number, payload),
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

interface AnswerProps {
  number: string;
  step: Pairing;
  label: string;
}

/** A step that needs an answer: a one-time password, a PIN, or a passkey's response. */
function Answer({ number, step, label }: AnswerProps) {
  const { t: texts, reason } = useWords();
  const t = texts.devices;
  const [answer, setAnswer] = useState("");
  const send = useMutation({ mutationFn: () => answerPairing(number, answer) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate();
  };
  const isWrong = send.error instanceof Problem && send.error.status === 409;
  const isPasskey = step.method === "passkey";
  return (
    <form onSubmit={submit} className={classes.answer}>
      {isPasskey ? <Code>{step.payload ?? ""}</Code> : <span>{reason(step.payload)}</span>}
      <TextInput
        label={label}
        error={isWrong ? t.pairAnswerWrong : undefined}
        value={answer}
        onChange={(event) => {
          setAnswer(event.currentTarget.value);
          send.reset();
        }}
        autoComplete="one-time-code"
      />
      {!isWrong && <ProblemNote error={send.error} />}
      <Button
        type="submit"
        loading={send.isPending || (send.isSuccess && !isOver(step))}
        disabled={!answer}
      >
        {t.pairAnswerSend}
      </Button>
    </form>
  );
}

const isOver = ({ expires_at }: Pairing) =>
  expires_at !== null && Date.parse(expires_at) < Date.now();
