// What became of each recipient's message; accepted ones are followed live.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "wouter";
import { usePollInterval } from "../../live/live.tsx";
import { messages } from "../../queries/messages.ts";
import { useWords } from "../../texts/index.tsx";
import { MessageState } from "../../ui/message_state.tsx";
import { Section } from "../../ui/page.tsx";
import { problemText } from "../../ui/problem_note.tsx";
import { State, type Tone } from "../../ui/state.tsx";
import { endOf, isUnfinished } from "../messages/message_outcome.ts";
import classes from "./send.module.css";
import type { Result } from "./send_form.ts";

export function Results({ results, left }: { results: Result[]; left: boolean }) {
  const { t } = useWords();
  const list = useShownWhenNew(results);
  if (results.length === 0) return null;
  const failed = results.some((one) => !one.id && !one.earlier);
  return (
    <Section title={t.send.results} lead={failed && left ? t.send.stillTyped : t.send.resultsLead}>
      <ul ref={list} className={classes.results} aria-live="polite">
        {results.map((one) => (
          <li key={`${one.to} ${one.id ?? ""}`} className={classes.result}>
            {one.id ? <Accepted id={one.id} to={one.to} /> : <NotAccepted result={one} />}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Scrolls the list into view when it gets a new result: on a phone it is below the form. */
function useShownWhenNew(results: Result[]) {
  const list = useRef<HTMLUListElement>(null);
  const known = useRef(results[0]);
  useEffect(() => {
    if (known.current === results[0]) return;
    known.current = results[0];
    list.current?.scrollIntoView({ block: "nearest" });
  }, [results]);
  return list;
}

interface RowProps {
  to: string;
  state: ReactNode;
  why: string;
  href?: string;
  link?: string;
}

function Row({ to, state, why, href, link }: RowProps) {
  return (
    <>
      <span className={classes.number}>+{to}</span>
      {state}
      <span className={classes.why}>{why}</span>
      {href && (
        <Link href={href} className={classes.follow}>
          {link}
        </Link>
      )}
    </>
  );
}

function Accepted({ id, to }: { id: string; to: string }) {
  const words = useWords();
  const { t } = words;
  const interval = usePollInterval(2);
  const { data, error } = useQuery({
    ...messages.one(id),
    refetchInterval: (query) =>
      isUnfinished(query.state.data?.state ?? "pending") ? interval : false,
  });
  const why = () => {
    if (!data) return error ? problemText(error, t) : "";
    if (data.waits) return `${t.messages.waitsFor}: ${t.messages.waits[data.waits.for]}`;
    return data.state === "failed" || data.state === "held" ? endOf(data, words) : "";
  };
  return (
    <Row
      to={to}
      state={<MessageState state={data?.state ?? "pending"} />}
      why={why()}
      href={`/messages/${id}`}
      link={t.send.follow}
    />
  );
}

function NotAccepted({ result }: { result: Result }) {
  const { t: texts, reason } = useWords();
  const t = texts.send;
  const { to } = result;
  const state = (tone: Tone, name: string) => <State tone={tone}>{name}</State>;
  const find = { href: `/messages?to=${to}`, link: t.find };
  if (result.earlier) {
    return <Row to={to} state={state("calm", t.earlier)} why={t.earlierText} {...find} />;
  }
  if (result.unknown) {
    return <Row to={to} state={state("warn", t.notKnown)} why={t.notKnownText} {...find} />;
  }
  const why = reason(result.refusal) || texts.common.problem;
  return <Row to={to} state={state("bad", t.notSent)} why={why} />;
}
