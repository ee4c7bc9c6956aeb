// Callbacks and device webhooks: the list, their attempts, and replaying them.
import { Button, Select, Skeleton, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useLocation, useParams } from "wouter";
import { replayCallback } from "../../api/callbacks.ts";
import type { Callback, CallbackAttempt, CallbackState as Word } from "../../api/types.ts";
import { usePollInterval } from "../../live/live.tsx";
import { usePaged } from "../../live/paged.ts";
import { callbacks } from "../../queries/callbacks.ts";
import { useAccountId, useSession } from "../../session/session.tsx";
import { useText, useWords } from "../../texts/index.tsx";
import { callbackError, lastAnswer } from "../../ui/callback_error.ts";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import classes from "../../ui/drawer.module.css";
import { FilterBar } from "../../ui/filter_bar.tsx";
import { Copy, Empty, EmptyFilter, Facts, Mono, OneLine } from "../../ui/notes.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNote, useNotices } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import { SideDrawer } from "../../ui/side_drawer.tsx";
import { Stale } from "../../ui/stale.tsx";
import { State, type Tone } from "../../ui/state.tsx";
import { Ago, At } from "../../ui/time.tsx";
import timeline from "../../ui/timeline.module.css";
import { useFilters, useWithFilters } from "../../ui/url_state.ts";
import { Hosts } from "./callback_hosts.tsx";
import { TestCallback } from "./callback_test.tsx";

const FILTERS = ["state"] as const;

const TONES: Record<Word, Tone> = {
  waiting: "busy",
  delivered: "good",
  exhausted: "bad",
  gone: "bad",
};

export default function Callbacks() {
  const t = useText().callbacks;
  const account = useAccountId();
  const { can } = useSession();
  const { id } = useParams<{ id?: string }>();
  const [, go] = useLocation();
  const withFilters = useWithFilters();
  const { filters, set, clear, any } = useFilters(FILTERS);
  const query = { account, state: filters.state as Word | "" };
  const list = usePaged(callbacks.list(query), { pagesMax: 40 });
  const states = Object.entries(t.states).map(([value, label]) => ({ value, label }));
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={can("callbacks:manage") && <TestCallback account={account} />}
    >
      <FilterBar any={any} onClear={clear}>
        <Select
          aria-label={t.state}
          placeholder={t.anyState}
          data={states}
          value={filters.state || null}
          onChange={(state) => set({ state: state ?? "" })}
          clearable
          size="xs"
        />
      </FilterBar>
      <DataTable
        label={t.title}
        columns={useColumns((one) => withFilters(`/callbacks/${one.id}`))}
        rows={list.items}
        rowKey={(one) => one.id}
        error={list.error}
        since={list.since}
        selected={id}
        onOpen={(one) => go(withFilters(`/callbacks/${one.id}`))}
        next={list.next}
        empty={any ? <EmptyFilter onClear={clear} /> : <NoCallbacks />}
      />
      <Hosts account={account} />
      <CallbackDrawer id={id} onClose={() => go(withFilters("/callbacks"))} />
    </Page>
  );
}

function NoCallbacks() {
  const t = useText().callbacks;
  return (
    <Empty icon="callbacks" title={t.empty} text={t.emptyText}>
      <Button component={Link} href="/account">
        {t.emptyButton}
      </Button>
    </Empty>
  );
}

function CallbackState({ state }: { state: Word }) {
  const t = useText().callbacks;
  return <State tone={TONES[state] ?? "calm"}>{t.states[state] ?? state}</State>;
}

function useColumns(addressOf: (callback: Callback) => string): Column<Callback>[] {
  const texts = useText();
  const t = texts.callbacks;
  return [
    {
      key: "at",
      head: t.updated,
      narrow: true,
      phone: "bare",
      cell: (one) => <Ago time={one.updated_at} />,
    },
    {
      key: "state",
      head: t.state,
      narrow: true,
      phone: "mark",
      cell: (one) => <CallbackState state={one.state} />,
    },
    {
      key: "url",
      head: t.url,
      phone: "title",
      cell: (one) => (
        <Link href={addressOf(one)}>
          <OneLine>{one.url ?? one.id}</OneLine>
        </Link>
      ),
    },
    {
      key: "kind",
      head: t.kind,
      narrow: true,
      phone: "bare",
      cell: (one) => t.kinds[one.kind] ?? one.kind,
    },
    {
      key: "attempts",
      head: t.attempts,
      align: "right",
      narrow: true,
      cell: (one) => one.attempts,
    },
    { key: "last", head: t.last, phone: "hide", cell: (one) => lastAnswer(one, texts) },
  ];
}

function CallbackDrawer({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  const t = useText();
  return (
    <SideDrawer opened={id !== undefined} onClose={onClose} title={t.callbacks.detail} size={560}>
      {id && <CallbackView key={id} id={id} />}
    </SideDrawer>
  );
}

function CallbackView({ id }: { id: string }) {
  const { t: texts, format } = useWords();
  const t = texts.callbacks;
  const { can } = useSession();
  const interval = usePollInterval(2);
  const callback = useQuery({
    ...callbacks.one(id),
    refetchInterval: (query) => (query.state.data?.state === "waiting" ? interval : false),
  });
  if (!callback.data) {
    return callback.error ? <ProblemNote error={callback.error} /> : <Skeleton height={200} />;
  }
  const shown = callback.data;
  return (
    <Stack gap="lg">
      <Stale error={callback.error} since={callback.dataUpdatedAt} />
      <div className={classes.head}>
        <CallbackState state={shown.state} />
        <span className={classes.outcome}>{lastAnswer(shown, texts)}</span>
      </div>
      {can("callbacks:manage") && shown.state !== "waiting" && <Replay id={id} />}
      <Facts
        facts={[
          { name: t.url, value: <Mono>{shown.url ?? "—"}</Mono> },
          {
            name: t.webhookId,
            value: (
              <span className={classes.id}>
                <Mono>{shown.id}</Mono>
                <Copy value={shown.id} />
              </span>
            ),
          },
          { name: t.kind, value: t.kinds[shown.kind] ?? shown.kind },
          shown.message !== null && {
            name: t.message,
            value: <Link href={`/messages/${shown.message}`}>{t.openMessage}</Link>,
          },
          shown.batch !== null && {
            name: t.batch,
            value: (
              <span className={classes.id}>
                {t.batchOf(format.number(shown.batch.events))}
                <Mono>{shown.batch.id}</Mono>
                <Copy value={shown.batch.id} />
              </span>
            ),
          },
          { name: t.created, value: <At time={shown.created_at} /> },
          shown.next_attempt_at !== null && {
            name: t.next,
            value: <At time={shown.next_attempt_at} />,
          },
        ]}
      />
      <Attempts callback={shown} />
    </Stack>
  );
}

function Replay({ id }: { id: string }) {
  const t = useText().callbacks;
  const refresh = useRefresh("callback", "callbacks", "attempts");
  const notices = useNotices();
  const replay = useMutation({
    mutationFn: () => replayCallback(id),
    onSuccess: () => notices.done(t.replayed),
    onError: notices.failed,
    onSettled: refresh,
  });
  return (
    <div>
      <Button
        size="xs"
        variant="default"
        loading={replay.isPending}
        onClick={() => replay.mutate()}
      >
        {t.replay}
      </Button>
    </div>
  );
}

function Attempts({ callback }: { callback: Callback }) {
  const t = useText().callbacks;
  const attempts = useQuery({
    ...callbacks.attempts(callback),
    placeholderData: (previous) => previous,
  });
  return (
    <section>
      <h3 className={classes.part}>{t.attemptList}</h3>
      {!attempts.data && <ProblemNote error={attempts.error} />}
      {attempts.data?.items.length === 0 && <p className={classes.warning}>{t.noAttempts}</p>}
      <ol className={timeline.list}>
        {attempts.data?.items.map((one) => (
          <Attempt key={one.number} attempt={one} />
        ))}
      </ol>
    </section>
  );
}

function Attempt({ attempt }: { attempt: CallbackAttempt }) {
  const { t, format } = useWords();
  const taken = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
  const good = taken && attempt.error === null;
  const others = (attempt.batch?.events ?? 1) - 1;
  const facts = [
    attempt.status ? `HTTP ${attempt.status}` : t.callbacks.noAnswer,
    attempt.took_ms === null ? "" : format.duration(attempt.took_ms),
    attempt.status === null && attempt.error ? callbackError(attempt.error, t) : "",
    taken && !good ? t.callbacks.askedAgain : "",
    others > 0 ? t.callbacks.together(format.number(others)) : "",
  ].filter(Boolean);
  const said = attempt.answer || (attempt.status === null ? attempt.error : null);
  return (
    <li className={timeline.event} data-tone={good ? "good" : "bad"}>
      <div className={timeline.line}>
        <span>{t.callbacks.attempt(attempt.number)}</span>
        <time className={timeline.time} dateTime={attempt.at}>
          {format.clock(attempt.at)}
        </time>
      </div>
      <div className={timeline.more}>{facts.join(" · ")}</div>
      {said && <pre className={timeline.answer}>{said}</pre>}
    </li>
  );
}
