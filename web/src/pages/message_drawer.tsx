// One message: why it waits, its timeline, its actions.
import { Button, Group, Skeleton, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useLocation } from "wouter";
import { MESSAGE_ACTIONS, type MessageAction, readMessage } from "../api/operations.ts";
import type { MessageDetail } from "../api/types.ts";
import { usePollInterval } from "../live/live.tsx";
import { useSession } from "../session/session.tsx";
import { useText, useWords } from "../texts/index.tsx";
import { ConfirmByName } from "../ui/confirm.tsx";
import { codeText, MessageState } from "../ui/message_state.tsx";
import { Code, Copy, Facts, Mono, Note } from "../ui/notes.tsx";
import { ProblemNote, useNotices } from "../ui/problem_note.tsx";
import { useRefresh } from "../ui/refresh.ts";
import { SideDrawer } from "../ui/side_drawer.tsx";
import { Ago, At } from "../ui/time.tsx";
import classes from "./message_drawer.module.css";
import { Timeline } from "./timeline.tsx";

export function MessageDrawer({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  const t = useText();
  return (
    <SideDrawer opened={id !== undefined} onClose={onClose} title={t.messages.detail} size={560}>
      {id && <MessageView key={id} id={id} />}
    </SideDrawer>
  );
}

const UNFINISHED = new Set(["pending", "sending", "handed_over", "held"]);

function MessageView({ id }: { id: string }) {
  const t = useText();
  const [body, setBody] = useState(false);
  const interval = usePollInterval(2);
  const message = useQuery({
    queryKey: ["message", id, body],
    queryFn: () => readMessage(id, body),
    placeholderData: (previous) => previous,
    refetchInterval: (query) =>
      UNFINISHED.has(query.state.data?.state ?? "pending") ? interval : false,
  });
  if (message.error) return <ProblemNote error={message.error} />;
  if (!message.data) return <Skeleton height={220} />;
  const shown = message.data;
  return (
    <Stack gap="lg">
      <div className={classes.head}>
        <MessageState state={shown.state} />
        <Mono>{shown.to}</Mono>
        {shown.code !== null && (
          <span className={classes.outcome}>
            {shown.code} · {codeText(shown.code, t) || shown.details}
          </span>
        )}
      </div>
      {shown.waits && (
        <Note calm>
          <strong>{t.messages.waitsFor}:</strong> {t.messages.waits[shown.waits.for]}
          {" · "}
          <WaitsTime {...shown.waits} />
        </Note>
      )}
      <Actions message={shown} />
      <Part title={t.messages.timeline}>
        <Timeline message={shown} />
      </Part>
      <Part title={t.messages.facts}>
        <MessageFacts message={shown} />
      </Part>
      <Part title={t.messages.body}>
        {body && shown.body !== undefined ? (
          <Code>{shown.body ?? ""}</Code>
        ) : (
          <Button variant="default" size="xs" onClick={() => setBody(true)}>
            {t.messages.showBody}
          </Button>
        )}
      </Part>
    </Stack>
  );
}

/** The time until which the message waits, if known; else the time since when. */
function WaitsTime({ since, until }: { since: string; until: string | null }) {
  const { t, format } = useWords();
  if (until === null) return <>{t.messages.from_(format.clock(since))}</>;
  return (
    <>
      {t.messages.until_(format.clock(until))} · <Ago time={until} />
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
  const t = useText().messages;
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
        { name: t.from, value: <Mono>{message.from}</Mono> },
        { name: t.acceptedAt, value: <At time={message.accepted_at} /> },
        { name: t.dueAt, value: <At time={message.due_at} /> },
        message.finished_at !== null && {
          name: t.finishedAt,
          value: <At time={message.finished_at} />,
        },
        { name: t.attempts, value: message.attempts },
        { name: t.revision, value: message.revision },
        message.details !== null && { name: t.details, value: message.details },
        message.media !== null && { name: t.media, value: <Mono>{message.media}</Mono> },
        message.callback !== null && {
          name: t.callbackTo,
          value: <Mono>{message.callback}</Mono>,
        },
      ]}
    />
  );
}

/** The actions for a message in each state, in the order of the buttons. */
const OFFERED: Record<string, MessageAction[]> = {
  pending: ["send-now", "cancel"],
  held: ["release", "fail"],
  failed: ["retry"],
  cancelled: ["retry"],
};

function Actions({ message }: { message: MessageDetail }) {
  const t = useText().messages;
  const { can } = useSession();
  const refresh = useRefresh("message", "messages", "timeline");
  const notices = useNotices();
  const [, go] = useLocation();
  const [asking, setAsking] = useDisclosure(false);
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
      if (action === "retry") go(`/messages/${answer.id}`);
    },
    onError: (error, action) => action !== "release" && notices.failed(error),
    onSettled: refresh,
  });
  const offered = can("messages:manage") ? (OFFERED[message.state] ?? []) : [];
  if (offered.length === 0) return null;
  return (
    <div>
      {message.state === "held" && <p className={classes.warning}>{t.releaseText}</p>}
      <Group gap="xs">
        {offered.map((action) => (
          <Button
            key={action}
            size="xs"
            variant="default"
            loading={act.isPending && act.variables === action}
            onClick={() => (action === "release" ? setAsking.open() : act.mutate(action))}
          >
            {names[action][0]}
          </Button>
        ))}
      </Group>
      <ConfirmByName
        title={t.release}
        text={t.releaseText}
        name={message.to}
        action={t.release}
        opened={asking}
        onClose={setAsking.close}
        onConfirm={() => act.mutateAsync("release")}
      />
    </div>
  );
}
