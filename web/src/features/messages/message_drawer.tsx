// One message: why it waits, its timeline, its actions.
import { Button, Group, Skeleton, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";
import { MESSAGE_ACTIONS, type MessageAction } from "../../api/messages.ts";
import type { MessageDetail } from "../../api/types.ts";
import { usePollInterval } from "../../live/live.tsx";
import { messages } from "../../queries/messages.ts";
import { useSession } from "../../session/session.tsx";
import { useText, useWords } from "../../texts/index.tsx";
import { mayHaveArrived } from "../../texts/reasons.ts";
import { ConfirmByName } from "../../ui/confirm.tsx";
import classes from "../../ui/drawer.module.css";
import { useIsShown } from "../../ui/is_shown.ts";
import { MessageState } from "../../ui/message_state.tsx";
import { Code, Copy, Facts, Mono, Note } from "../../ui/notes.tsx";
import { ProblemNote, useNotices } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import { SideDrawer } from "../../ui/side_drawer.tsx";
import { Stale } from "../../ui/stale.tsx";
import { Ago, At } from "../../ui/time.tsx";
import { useAllDevices } from "../devices/all_devices.ts";
import { SimulatedMark } from "../devices/connectors.tsx";
import { endOf, isUnfinished } from "./message_outcome.ts";
import { Timeline } from "./timeline.tsx";

export function MessageDrawer({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  const t = useText();
  return (
    <SideDrawer opened={id !== undefined} onClose={onClose} title={t.messages.detail} size={560}>
      {id && <MessageView key={id} id={id} />}
    </SideDrawer>
  );
}

const WAITS_EVERY = 5000; // Events announce states, but not for what a message waits now.

function MessageView({ id }: { id: string }) {
  const words = useWords();
  const { t } = words;
  const { can } = useSession();
  const [body, setBody] = useState(false);
  const interval = usePollInterval(2);
  const message = useQuery({
    ...messages.one(id, body),
    placeholderData: (previous) => previous,
    refetchInterval: ({ state: { data } }) => {
      if (data?.waits) return Math.min(interval, WAITS_EVERY);
      return isUnfinished(data?.state ?? "pending") && interval;
    },
  });
  if (!message.data) {
    return message.error ? <ProblemNote error={message.error} /> : <Skeleton height={220} />;
  }
  const shown = message.data;
  return (
    <Stack gap="lg">
      <Stale error={message.error} since={message.dataUpdatedAt} />
      <div className={classes.head}>
        <MessageState state={shown.state} />
        {can("campaigns:manage") ? (
          <span>
            <Link href={`/contacts/${shown.to}`}>
              <Mono>{shown.to}</Mono>
            </Link>
          </span>
        ) : (
          <Mono>{shown.to}</Mono>
        )}
        {(shown.code !== null || shown.state === "held") && (
          <span className={classes.outcome}>{endOf(shown, words)}</span>
        )}
      </div>
      {shown.waits && <Waits message={shown} waits={shown.waits} />}
      <Actions message={shown} />
      <Part title={t.messages.timeline}>
        <Timeline message={shown} />
      </Part>
      <Part title={t.messages.facts}>
        <MessageFacts message={shown} />
      </Part>
      {can("messages:manage") && (
        <Part title={t.messages.body}>
          {body && shown.body !== undefined ? (
            <Code>{textOf(shown)}</Code>
          ) : (
            <Button variant="default" size="xs" onClick={() => setBody(true)}>
              {t.messages.showBody}
            </Button>
          )}
        </Part>
      )}
    </Stack>
  );
}

/** What its recipient reads, as far as it is known. */
function textOf({ sent_as: sent, variables, body }: MessageDetail): string {
  if (!sent) return variables?.join("\n") ?? body ?? "";
  return [sent.header, sent.body, sent.footer, ...sent.buttons].filter(Boolean).join("\n\n");
}

type WaitsOf = NonNullable<MessageDetail["waits"]>;

const OF_DEVICE = ["device", "paused", "cap", "pace", "queue"]; // Reasons that its page explains.

/** Why the message waits: for what, until or since when, and why the last attempt failed. */
function Waits({ message, waits }: { message: MessageDetail; waits: WaitsOf }) {
  const { t, reason } = useWords();
  const failed = message.attempts > 0 ? reason(message.details) : "";
  const href = OF_DEVICE.includes(waits.for) ? `/devices/${message.from}` : undefined;
  return (
    <Note calm href={href}>
      <strong>{t.messages.waitsFor}:</strong> {t.messages.waits[waits.for]}
      {" · "}
      <WaitsTime {...waits} />
      {failed && (
        <>
          <br />
          {t.messages.lastAttempt(failed)}
        </>
      )}
    </Note>
  );
}

/** The time until which the message waits, if known; else the time since when. */
function WaitsTime({ since, until }: { since: string; until: string | null }) {
  const { t, format } = useWords();
  if (until === null) return <>{t.messages.from_(format.clock(since))}</>;
  return (
    <>
      {t.messages.until_(format.clock(until))} · <Ago time={until} planned />
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className={classes.part}>{title}</h3>
      {children}
    </section>
  );
}

function MessageFacts({ message }: { message: MessageDetail }) {
  const { t: texts, reason } = useWords();
  const t = texts.messages;
  const devices = useAllDevices().data;
  const device = devices?.items.find((one) => one.number === message.from);
  const template = message.template ?? message.sent_as;
  const id = (text: string) => (
    <span className={classes.id}>
      <Mono>{text}</Mono>
      <Copy value={text} />
    </span>
  );
  return (
    <Facts
      facts={[
        { name: t.requestId, value: id(message.id) },
        message.platform_id !== null && { name: t.platformId, value: id(message.platform_id) },
        {
          name: t.from,
          value: (
            <span className={classes.id}>
              <span>
                <Link href={`/devices/${message.from}`}>
                  <Mono>{message.from}</Mono>
                </Link>
              </span>
              {device && <SimulatedMark device={device} />}
            </span>
          ),
        },
        { name: t.acceptedAt, value: <At time={message.accepted_at} /> },
        { name: t.dueAt, value: <At time={message.due_at} /> },
        message.finished_at !== null && {
          name: t.finishedAt,
          value: <At time={message.finished_at} />,
        },
        { name: t.attempts, value: message.attempts },
        { name: t.revision, value: message.revision },
        message.details !== null && { name: t.details, value: reason(message.details) },
        template && {
          name: t.template,
          value: `${template.name} (${template.language})`,
        },
        message.media !== null && { name: t.media, value: <Mono>{message.media}</Mono> },
        message.callback !== null && {
          name: t.callbackTo,
          value: <Mono>{message.callback}</Mono>,
        },
      ]}
    />
  );
}

const HASTENED = ["due", "retry"]; // What `send-now` ends; it does not end other waits.

/** The actions for a message, in the order of the buttons. */
function offeredFor({ state, waits }: MessageDetail): MessageAction[] {
  switch (state) {
    case "pending":
      return waits && HASTENED.includes(waits.for) ? ["send-now", "cancel"] : ["cancel"];
    case "held":
      return ["release", "fail"];
    case "failed":
    case "cancelled":
      return ["retry"];
    default:
      return [];
  }
}

function Actions({ message }: { message: MessageDetail }) {
  const t = useText().messages;
  const { can } = useSession();
  const refresh = useRefresh("message", "messages", "timeline");
  const notices = useNotices();
  const [, go] = useLocation();
  const isShown = useIsShown();
  const [asked, setAsked] = useState<"release" | "retry">();
  const risky = message.state === "held" || mayHaveArrived(message.details);
  const names: Record<MessageAction, [string, string]> = {
    cancel: [t.cancelIt, t.cancelled],
    "send-now": [t.sendNow, t.sentNow],
    retry: [t.retryIt, t.retried],
    release: [t.release, t.released],
    fail: [t.giveUp, t.givenUp],
  };
  const act = useMutation({
    mutationFn: (action: MessageAction) => MESSAGE_ACTIONS[action](message.id),
    onSuccess: (answer, action) => {
      notices.done(names[action][1]);
      if (action === "retry" && isShown()) go(`/messages/${answer.id}`);
    },
    // A dialog shows its own errors.
    onError: (error, action) => asked !== action && notices.failed(error),
    onSettled: refresh,
  });
  const run = (action: MessageAction) => {
    if (risky && (action === "release" || action === "retry")) setAsked(action);
    else act.mutate(action);
  };
  const offered = can("messages:manage") ? offeredFor(message) : [];
  if (offered.length === 0) return null;
  return (
    <div>
      {risky && <p className={classes.warning}>{t.releaseText}</p>}
      <Group gap="xs">
        {offered.map((action) => (
          <Button
            key={action}
            size="xs"
            variant="default"
            loading={act.isPending && act.variables === action}
            onClick={() => run(action)}
          >
            {names[action][0]}
          </Button>
        ))}
      </Group>
      <ConfirmByName
        title={asked === "retry" ? t.retryIt : t.release}
        text={t.releaseText}
        name={message.to}
        action={asked === "retry" ? t.retryIt : t.release}
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        onConfirm={() => act.mutateAsync(asked ?? "release")}
      />
    </div>
  );
}
