// The way of a message, from its acceptance to its callbacks.
import { Link } from "wouter";
import type { Callback, MessageDetail } from "../api/types.ts";
import { type Texts, useWords } from "../texts/index.tsx";
import { codeText } from "../ui/message_state.tsx";
import type { Tone } from "../ui/state.tsx";
import classes from "./timeline.module.css";

interface Step {
  key: string;
  at: string;
  tone: Tone;
  text: string;
  more: string;
  href?: string;
}

export function Timeline({ message }: { message: MessageDetail }) {
  const { t, format } = useWords();
  return (
    <ol className={classes.list}>
      {stepsOf(message, t).map((step) => (
        <li key={step.key} className={classes.event} data-tone={step.tone}>
          <div className={classes.line}>
            {step.href ? <Link href={step.href}>{step.text}</Link> : <span>{step.text}</span>}
            <time className={classes.time} dateTime={step.at}>
              {format.clock(step.at)}
            </time>
          </div>
          {step.more && <div className={classes.more}>{step.more}</div>}
        </li>
      ))}
    </ol>
  );
}

/** In the order in which they happened, or will. */
export function stepsOf(message: MessageDetail, t: Texts): Step[] {
  const m = t.messages;
  const steps: Step[] = [
    { key: "accepted", at: message.accepted_at, tone: "calm", text: m.accepted, more: "" },
    { key: "due", at: message.due_at, tone: "calm", text: m.due, more: "" },
  ];
  if (message.finished_at) {
    const tones: Partial<Record<string, Tone>> = { sent: "good", failed: "bad" };
    steps.push({
      key: "finished",
      at: message.finished_at,
      tone: tones[message.state] ?? "calm",
      text: m.states[message.state],
      more: outcomeOf(message, t),
    });
  } else if (message.next_attempt_at && message.attempts > 0) {
    steps.push({
      key: "next",
      at: message.next_attempt_at,
      tone: "warn",
      text: m.nextAttempt,
      more: outcomeOf(message, t),
    });
  }
  for (const callback of message.callbacks) steps.push(stepOf(callback, t));
  return steps.sort((one, other) => one.at.localeCompare(other.at));
}

function outcomeOf(message: MessageDetail, t: Texts): string {
  return [
    message.attempts > 0 ? t.messages.attempt(message.attempts) : "",
    message.code ? `${message.code} ${codeText(message.code, t)}` : "",
    message.details ?? "",
  ]
    .filter(Boolean)
    .join(" · ");
}

function stepOf(callback: Callback, t: Texts): Step {
  const tones: Record<string, Tone> = { delivered: "good", waiting: "warn" };
  return {
    key: callback.id,
    at: callback.updated_at,
    tone: tones[callback.state] ?? "bad",
    text: `${t.callbacks.detail}: ${t.callbacks.states[callback.state]}`,
    more: [
      t.callbacks.attempt(callback.attempts),
      callback.last_status ? `HTTP ${callback.last_status}` : "",
      callback.last_error ?? "",
    ]
      .filter(Boolean)
      .join(" · "),
    href: `/callbacks/${callback.id}`,
  };
}
