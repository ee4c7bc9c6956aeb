// The health of each receiver of callbacks, and replaying failed callbacks to it.
import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { replayFailed } from "../../api/callbacks.ts";
import type { CallbackHost } from "../../api/types.ts";
import { usePollInterval } from "../../live/live.tsx";
import { callbacks } from "../../queries/callbacks.ts";
import { useSession } from "../../session/session.tsx";
import { useText, useWords } from "../../texts/index.tsx";
import { callbackError } from "../../ui/callback_error.ts";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { MomentField } from "../../ui/moment_field.tsx";
import { Note, OneLine } from "../../ui/notes.tsx";
import { Section } from "../../ui/page.tsx";
import { useNotices } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import { State } from "../../ui/state.tsx";

export function Hosts({ account }: { account: string }) {
  const { t: texts, format } = useWords();
  const t = texts.callbacks;
  const { can } = useSession();
  const [asking, setAsking] = useState(false);
  const allowed = can("callbacks:manage");
  const hosts = useQuery({
    ...callbacks.hosts(account),
    enabled: allowed,
    refetchInterval: usePollInterval(15),
  });
  const columns = useColumns();
  if (!allowed || !hosts.data?.items.length) return null;
  return (
    <Section
      title={t.hosts}
      lead={t.hostsLead}
      actions={
        <Button variant="default" onClick={() => setAsking(true)}>
          {t.replayAll}
        </Button>
      }
    >
      <DataTable
        label={t.hosts}
        columns={columns}
        rows={hosts.data.items}
        rowKey={(one) => one.origin}
        empty={null}
      />
      {hosts.data.more && <Note calm>{t.hostsCut(format.number(hosts.data.items.length))}</Note>}
      <ReplayAll account={account} opened={asking} onClose={() => setAsking(false)} />
    </Section>
  );
}

const TONES = { open: "bad", failing: "warn", closed: "good" } as const;

/** The state of the breaker; for a closed one, whether most recent attempts failed. */
function healthOf(host: CallbackHost): keyof typeof TONES {
  const fails = host.success_rate !== null && host.success_rate < 0.5;
  return host.breaker === "closed" && fails ? "failing" : host.breaker;
}

function useColumns(): Column<CallbackHost>[] {
  const { t, format } = useWords();
  return [
    {
      key: "origin",
      head: t.callbacks.url,
      phone: "title",
      cell: (one) => <OneLine>{one.origin}</OneLine>,
    },
    {
      key: "breaker",
      head: t.callbacks.state,
      narrow: true,
      phone: "mark",
      cell: (one) => (
        <State tone={TONES[healthOf(one)]}>{t.callbacks.breakers[healthOf(one)]}</State>
      ),
    },
    {
      key: "rate",
      head: t.callbacks.successRate,
      align: "right",
      narrow: true,
      cell: (one) => (one.success_rate === null ? "–" : format.percent(one.success_rate)),
    },
    {
      key: "waiting",
      head: t.callbacks.waiting,
      align: "right",
      narrow: true,
      cell: (one) => format.number(one.waiting) + (one.waiting_more ? "+" : ""),
    },
    {
      key: "error",
      head: t.callbacks.last,
      phone: "hide",
      cell: (one) => one.last_error && callbackError(one.last_error, t),
    },
  ];
}

interface ReplayAllProps {
  account: string;
  opened: boolean;
  onClose: () => void;
}

function ReplayAll({ account, opened, onClose }: ReplayAllProps) {
  const t = useText().callbacks;
  const refresh = useRefresh("callbacks", "hosts");
  const notices = useNotices();
  const [since, setSince] = useState("");
  const replay = useMutation({
    mutationFn: () => replayFailed({ account, since }),
    onSuccess: () => notices.done(t.replayedAll),
    onSettled: refresh,
  });
  return (
    <FormDialog
      title={t.replayAll}
      opened={opened}
      onClose={onClose}
      action={t.replay}
      onSubmit={() => replay.mutateAsync()}
      disabled={!since}
    >
      <MomentField label={t.replaySince} value={since} onChange={setSince} />
    </FormDialog>
  );
}
