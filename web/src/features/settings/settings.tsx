// The person's settings: appearance, password, second step, sessions.
import { Badge, Button, Group, PasswordInput, SegmentedControl, Stack } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { changePassword, endSession } from "../../api/people.ts";
import type { SignedIn } from "../../api/types.ts";
import { people, SESSION } from "../../queries/people.ts";
import { useSession } from "../../session/session.tsx";
import { becomeSomebody } from "../../session/who.ts";
import { type Scheme, useScheme } from "../../style/scheme.tsx";
import { type Language, useText, useWords } from "../../texts/index.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { fieldProblems } from "../../ui/field_problems.ts";
import { Facts } from "../../ui/notes.tsx";
import { Page, Panel, Section } from "../../ui/page.tsx";
import { ProblemNote, useNotices } from "../../ui/problem_note.tsx";
import { Ago } from "../../ui/time.tsx";
import { SecondStep } from "./second_step.tsx";

export default function Settings() {
  const t = useText().settings;
  return (
    <Page title={t.title} lead={t.lead}>
      <Panel>
        <Look />
      </Panel>
      <Password />
      <SecondStep />
      <Sessions />
    </Page>
  );
}

function Look() {
  const { t, language, setLanguage } = useWords();
  const { scheme, setScheme } = useScheme();
  return (
    <Facts
      facts={[
        {
          name: t.settings.language,
          value: (
            <SegmentedControl
              size="xs"
              aria-label={t.settings.language}
              value={language}
              onChange={(value) => setLanguage(value as Language)}
              data={[
                { value: "id", label: "Bahasa Indonesia" },
                { value: "en", label: "English" },
              ]}
            />
          ),
        },
        {
          name: t.settings.theme,
          value: (
            <SegmentedControl
              size="xs"
              aria-label={t.settings.theme}
              value={scheme}
              onChange={(value) => setScheme(value as Scheme)}
              data={[
                { value: "auto", label: t.shell.themeAuto },
                { value: "light", label: t.shell.themeLight },
                { value: "dark", label: t.shell.themeDark },
              ]}
            />
          ),
        },
      ]}
    />
  );
}

function Password() {
  const { t: texts, format } = useWords();
  const t = texts.settings;
  const notices = useNotices();
  const { session } = useSession();
  const queries = useQueryClient();
  const neededFrom = session.session.current_password_needed_from;
  const isFree = neededFrom !== null && Date.parse(neededFrom) > Date.now();
  const hint = isFree ? t.currentUntil(format.minute(neededFrom)) : undefined;
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: () => changePassword({ current: current || undefined, password: next }),
    onSuccess: () => {
      notices.done(t.changed);
      setCurrent("");
      setNext("");
      void queries.invalidateQueries({ queryKey: SESSION });
    },
  });
  const problems = fieldProblems(change.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Section title={t.password} lead={t.passwordLead}>
      <Panel>
        <form onSubmit={submit}>
          <Stack gap="sm" maw={380}>
            {session.person.has_password && (
              <PasswordInput
                label={t.current}
                description={hint}
                error={problems.of("current")}
                autoComplete="current-password"
                value={current}
                onChange={(event) => setCurrent(event.currentTarget.value)}
              />
            )}
            <PasswordInput
              label={t.next}
              error={problems.of("password")}
              autoComplete="new-password"
              required
              withAsterisk={false}
              minLength={12}
              value={next}
              onChange={(event) => setNext(event.currentTarget.value)}
            />
            <ProblemNote error={change.error} fields={problems} />
            <Group>
              <Button type="submit" variant="default" loading={change.isPending}>
                {t.change}
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
    </Section>
  );
}

function Sessions() {
  const t = useText().settings;
  const queries = useQueryClient();
  const notices = useNotices();
  const sessions = useQuery(people.sessions());
  const end = useMutation({
    mutationFn: (one: Pick<SignedIn, "id" | "current">) => endSession(one.id),
    onSuccess: (_, one) => {
      notices.done(t.endedIt);
      if (one.current) becomeSomebody(queries, null);
    },
    onError: notices.failed,
    onSettled: () => queries.invalidateQueries(people.sessions()),
  });
  const columns: Column<SignedIn>[] = [
    {
      key: "agent",
      head: t.agent,
      phone: "title",
      cell: (one) => (
        <>
          {agentText(one.agent)}{" "}
          {one.current && (
            <Badge size="sm" variant="light">
              {t.thisOne}
            </Badge>
          )}
        </>
      ),
    },
    { key: "address", head: t.address, narrow: true, cell: (one) => one.address },
    { key: "since", head: t.since, narrow: true, cell: (one) => <Ago time={one.created_at} /> },
    { key: "seen", head: t.seen, narrow: true, cell: (one) => <Ago time={one.seen_at} /> },
    {
      key: "end",
      head: "",
      narrow: true,
      phone: "mark",
      cell: (one) => (
        <Button
          size="compact-xs"
          variant="default"
          loading={end.isPending && end.variables?.id === one.id}
          onClick={() => end.mutate(one)}
        >
          {t.end}
        </Button>
      ),
    },
  ];
  return (
    <Section
      title={t.sessions}
      lead={t.sessionsLead}
      actions={
        (sessions.data?.items.length ?? 0) > 1 && (
          <Button variant="default" onClick={() => end.mutate({ id: "others", current: false })}>
            {t.endOthers}
          </Button>
        )
      }
    >
      <DataTable
        label={t.sessions}
        columns={columns}
        rows={sessions.data?.items}
        rowKey={(one) => one.id}
        error={sessions.error}
        empty={null}
      />
    </Section>
  );
}

/** "Firefox · Linux" from a browser's User-Agent; unchanged if it is unknown. */
export function agentText(agent: string): string {
  const browser = ["Edg", "Firefox", "Chrome", "Safari"].find((name) => agent.includes(`${name}/`));
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"].find((name) =>
    agent.includes(name),
  );
  if (!browser) return agent.slice(0, 80);
  return [browser === "Edg" ? "Edge" : browser, system].filter(Boolean).join(" · ");
}
