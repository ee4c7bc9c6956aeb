// How the gateway itself is doing, for its administrator.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { readReadiness, readStatus } from "../api/operations.ts";
import { listLog } from "../api/people.ts";
import type { LogEntry } from "../api/types.ts";
import { useSession } from "../session/session.tsx";
import { useText, useWords } from "../texts/index.tsx";
import { type Column, DataTable } from "../ui/data_table.tsx";
import { Facts, Mono, Note } from "../ui/notes.tsx";
import { Page, Panel, Section } from "../ui/page.tsx";
import { usePaged } from "../ui/paged.ts";
import { ProblemNote } from "../ui/problem_note.tsx";
import { State } from "../ui/state.tsx";
import { Ago, At } from "../ui/time.tsx";

export default function Server() {
  const { t, format } = useWords();
  const status = useQuery({
    queryKey: ["admin", "status"],
    queryFn: readStatus,
    refetchInterval: 10_000,
  });
  const ready = useQuery({
    queryKey: ["admin", "ready"],
    queryFn: readReadiness,
    refetchInterval: 10_000,
  });
  const shown = status.data;
  const isReady = ready.data?.ready;
  return (
    <Page title={t.admin.server} lead={t.admin.serverLead}>
      <ProblemNote error={status.error} />
      <Panel>
        {shown ? (
          <Facts
            facts={[
              isReady !== undefined && {
                name: t.admin.health,
                value: (
                  <State tone={isReady ? "good" : "bad"}>
                    {isReady ? t.admin.ready : t.admin.notReady}
                  </State>
                ),
              },
              { name: t.admin.version, value: shown.version },
              { name: t.admin.time, value: <At time={shown.time} /> },
              shown.messages_waiting !== undefined && {
                name: t.admin.waiting,
                value: format.number(shown.messages_waiting),
              },
              { name: t.admin.accounts, value: format.number(shown.accounts) },
              { name: t.admin.devices, value: format.number(shown.devices) },
            ]}
          />
        ) : (
          <Skeleton height={120} />
        )}
      </Panel>
      {ready.data?.reasons.map((one) => (
        <Note key={one.part}>
          {one.part} {one.reason}
        </Note>
      ))}
      <Log />
    </Page>
  );
}

/** Who changed what, newest first. */
function Log() {
  const t = useText();
  const log = usePaged(["log"], (cursor) => listLog({ limit: 25, cursor }), { poll: false });
  const { accounts } = useSession();
  const nameOf = (id: string | null) => accounts.find((one) => one.id === id)?.name ?? id ?? "";
  const columns: Column<LogEntry>[] = [
    { key: "at", head: t.admin.when, narrow: true, cell: (one) => <Ago time={one.at} /> },
    {
      key: "who",
      head: t.admin.who,
      cell: (one) => one.actor.name ?? one.actor.id ?? t.admin.actors[one.actor.kind],
    },
    { key: "door", head: t.admin.door, narrow: true, cell: (one) => t.admin.doors[one.door] },
    { key: "what", head: t.admin.what, cell: (one) => <Mono>{one.operation}</Mono> },
    { key: "object", head: t.admin.object, cell: (one) => one.object },
    { key: "account", head: t.shell.account, cell: (one) => nameOf(one.account) },
  ];
  return (
    <Section title={t.admin.log} lead={t.admin.logLead}>
      <DataTable
        label={t.admin.log}
        columns={columns}
        rows={log.items}
        rowKey={(one) => one.id}
        error={log.error}
        next={log.next}
        empty={null}
      />
    </Section>
  );
}
