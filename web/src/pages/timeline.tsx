// The way of a message, from its acceptance to the last callback attempt.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { readTimeline } from "../api/operations.ts";
import type { MessageDetail, TimelineEvent } from "../api/types.ts";
import { useText, useWords } from "../texts/index.tsx";
import { ProblemNote } from "../ui/problem_note.tsx";
import type { Tone } from "../ui/state.tsx";
import classes from "./timeline.module.css";

export function Timeline({ message }: { message: MessageDetail }) {
  const timeline = useQuery({
    queryKey: ["timeline", message.id, message.state, message.attempts],
    queryFn: () => readTimeline(message.id),
    placeholderData: (previous) => previous,
  });
  if (timeline.error) return <ProblemNote error={timeline.error} />;
  if (!timeline.data) return <Skeleton height={120} />;
  return (
    <ol className={classes.list}>
      {timeline.data.items.map((event, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: events have no ids, and only grow.
        <Event key={place} event={event} />
      ))}
    </ol>
  );
}

function Event({ event }: { event: TimelineEvent }) {
  const { t, format } = useWords();
  const facts = [
    event.attempt ? t.messages.attempt(event.attempt) : "",
    event.code ? `${t.messages.code} ${event.code}` : "",
    event.status ? `HTTP ${event.status}` : "",
    event.duration_ms != null ? format.duration(event.duration_ms) : "",
  ].filter(Boolean);
  return (
    <li className={classes.event} data-tone={toneOf(event)}>
      <div className={classes.line}>
        <span>{useEventText(event)}</span>
        <time className={classes.time} dateTime={event.at}>
          {format.clock(event.at)}
        </time>
      </div>
      {facts.length > 0 && <div className={classes.more}>{facts.join(" · ")}</div>}
      {event.answer && <pre className={classes.answer}>{event.answer}</pre>}
    </li>
  );
}

function useEventText(event: TimelineEvent): string {
  const t = useText().messages;
  const known: Record<string, string> = { accepted: t.accepted, due: t.due };
  return event.text || known[event.event] || event.event;
}

export function toneOf(event: TimelineEvent): Tone {
  if (event.event === "sent" || event.event === "delivered" || event.event === "read")
    return "good";
  if (event.event === "failed" || event.event === "refused") return "bad";
  if (event.event.startsWith("callback")) {
    return event.status && event.status >= 200 && event.status < 300 ? "good" : "warn";
  }
  if (event.event === "attempt") return event.code === 200 ? "good" : "warn";
  if (event.event.startsWith("wait") || event.event === "held") return "warn";
  return "calm";
}
