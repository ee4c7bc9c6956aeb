// How the gateway itself is doing, for its administrator.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { readReadiness, readStatus } from "../api/operations.ts";
import { useWords } from "../texts/index.tsx";
import { Facts, Note } from "../ui/notes.tsx";
import { Page, Panel } from "../ui/page.tsx";
import { ProblemNote } from "../ui/problem_note.tsx";
import { State } from "../ui/state.tsx";
import { At } from "../ui/time.tsx";

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
    </Page>
  );
}
