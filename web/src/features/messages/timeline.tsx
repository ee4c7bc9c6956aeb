// The timeline of a message, from its acceptance to the last attempt of its callbacks.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { MessageDetail, TimelineStep } from "../../api/types.ts";
import { messages } from "../../queries/messages.ts";
import { type Texts, useWords } from "../../texts/index.tsx";
import { callbackError } from "../../ui/callback_error.ts";
import { codeText } from "../../ui/message_state.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import type { Tone } from "../../ui/state.tsx";
import classes from "../../ui/timeline.module.css";

export function Timeline({ message }: { message: MessageDetail }) {
  const timeline = useQuery({
    ...messages.timeline(message),
    placeholderData: (previous) => previous,
  });
  if (!timeline.data) {
    return timeline.error ? <ProblemNote error={timeline.error} /> : <Skeleton height={120} />;
  }
  return (
    <ol className={classes.list}>
      {timeline.data.items.map((step, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no ids, and only grow.
        <Step key={place} step={step} />
      ))}
    </ol>
  );
}

function Step({ step }: { step: TimelineStep }) {
  const { t, format, reason } = useWords();
  const href = addressOf(step);
  const facts = [
    step.code ? codeOf(step, t) : "",
    step.took_ms === null ? "" : format.duration(step.took_ms),
    step.until === null ? "" : timeOf(step.step, format.clock(step.until), t),
    step.step === "callback" ? "" : reason(step.details),
  ].filter(Boolean);
  return (
    <li className={classes.event} data-tone={toneOf(step)}>
      <div className={classes.line}>
        {href ? <Link href={href}>{stepText(step, t)}</Link> : <span>{stepText(step, t)}</span>}
        <time className={classes.time} dateTime={step.at}>
          {format.clock(step.at)}
        </time>
      </div>
      {facts.length > 0 && <div className={classes.more}>{facts.join(" · ")}</div>}
      {step.step === "callback" && step.code === null && step.details && (
        <div className={classes.more}>{callbackError(step.details, t)}</div>
      )}
    </li>
  );
}

/** The time until which a step lasts, or of the attempt that follows it. */
function timeOf(step: TimelineStep["step"], time: string, t: Texts): string {
  const lasts = step === "waited" || step === "delayed";
  return lasts ? t.messages.until_(time) : t.messages.again(time);
}

function stepText(step: TimelineStep, t: Texts): string {
  const words: Record<string, string> = t.messages.steps;
  if (step.step === "waited" && step.for) return `${words.waited}: ${t.messages.waits[step.for]}`;
  if (step.step === "folded") return t.messages.folded(step.count ?? 0);
  return words[step.step] ?? step.step;
}

function codeOf(step: TimelineStep, t: Texts): string {
  if (step.step === "callback") return `HTTP ${step.code}`;
  return `${step.code} ${codeText(step.code, t)}`.trim();
}

function addressOf(step: TimelineStep): string | undefined {
  if (!step.id) return undefined;
  if (step.step === "callback") return `/callbacks/${step.id}`;
  return step.step.startsWith("retr") ? `/messages/${step.id}` : undefined;
}

const TONES: Partial<Record<TimelineStep["step"], Tone>> = {
  sent: "good",
  delivered: "good",
  read: "good",
  failed: "bad",
  attempted: "warn",
  waited: "warn",
  held: "warn",
  sending: "busy",
  handed_over: "busy",
};

function toneOf(step: TimelineStep): Tone {
  if (step.step !== "callback") return TONES[step.step] ?? "calm";
  return step.code !== null && step.code >= 200 && step.code < 300 ? "good" : "warn";
}
