// The log of changes, newest first, of one account or of all.
import { Select } from "@mantine/core";
import { listLog } from "../api/people.ts";
import type { LogEntry } from "../api/types.ts";
import { useSession } from "../session/session.tsx";
import type { Format } from "../texts/format.ts";
import { useText, useWords } from "../texts/index.tsx";
import { type Column, DataTable } from "../ui/data_table.tsx";
import { FilterBar } from "../ui/filter_bar.tsx";
import { EmptyFilter, Mono, OneLine, Quiet } from "../ui/notes.tsx";
import { usePaged } from "../ui/paged.ts";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { useFilters } from "../ui/url_state.ts";

const FILTERS = ["account"] as const;
const CHOICES_MAX = 50; // Accounts that match the typed text.

export function Log() {
  const t = useText();
  const { accounts } = useSession();
  const { filters, set, clear, any } = useFilters(FILTERS);
  const { account } = filters;
  const log = usePaged(
    ["log", account],
    (cursor) => listLog({ limit: 25, cursor, ...(account && { account }) }),
    { pagesMax: 40 },
  );
  return (
    <>
      <FilterBar any={any} onClear={clear}>
        <Select
          aria-label={t.shell.account}
          placeholder={t.admin.anyAccount}
          data={accounts.map((one) => ({ value: one.id, label: one.name }))}
          value={account || null}
          onChange={(id) => set({ account: id ?? "" })}
          limit={CHOICES_MAX}
          searchable
          clearable
          size="xs"
        />
      </FilterBar>
      <DataTable
        label={t.admin.log}
        columns={useColumns()}
        rows={log.items}
        rowKey={(one) => one.id}
        error={log.error}
        next={log.next}
        empty={any ? <EmptyFilter onClear={clear} /> : null}
      />
    </>
  );
}

function useColumns(): Column<LogEntry>[] {
  const { t, format } = useWords();
  const { accounts } = useSession();
  const textOf = (one: LogEntry) => fieldsOf(one, t.log.fields, format);
  const nameOf = (id: string | null) => accounts.find((one) => one.id === id)?.name ?? id ?? "";
  return [
    {
      key: "at",
      head: t.admin.when,
      narrow: true,
      phone: "bare",
      cell: (one) => <Ago time={one.at} />,
    },
    {
      key: "what",
      head: t.admin.what,
      narrow: true,
      phone: "title",
      cell: (one) => <What entry={one} />,
    },
    {
      key: "object",
      head: t.admin.object,
      narrow: true,
      cell: (one) => one.object && <OneLine>{one.object}</OneLine>,
    },
    {
      key: "fields",
      head: t.admin.fields,
      cell: textOf,
    },
    {
      key: "who",
      head: t.admin.who,
      narrow: true,
      cell: (one) => (
        <span>
          {one.actor.name ?? one.actor.id ?? t.admin.actors[one.actor.kind]}
          {one.door !== "network" && <Quiet> {t.admin.doors[one.door]}</Quiet>}
        </span>
      ),
    },
    { key: "account", head: t.shell.account, phone: "bare", cell: (one) => nameOf(one.account) },
  ];
}

/** The name of the operation, and its outcome unless it simply succeeded. */
function What({ entry }: { entry: LogEntry }) {
  const t = useText();
  const name = (t.log.operations as Record<string, string>)[entry.operation];
  const { outcome } = entry;
  return (
    <>
      {name ? <span title={entry.operation}>{name}</span> : <Mono>{entry.operation}</Mono>}
      {outcome !== "done" && (
        <>
          {" "}
          <State tone={outcome === null ? "warn" : "bad"}>
            {outcome === null ? t.admin.outcomeUnknown : t.admin.refused(outcome)}
          </State>
        </>
      )}
    </>
  );
}

const SHOWN_MAX = 120; // Characters of a change; the log itself has all of it.

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** "Gap (ms): 0 → 3000" for a change; empty for a created or removed item. */
function fieldsOf(
  { before, after }: Pick<LogEntry, "before" | "after">,
  names: Record<string, string>,
  format: Pick<Format, "clock">,
): string {
  if (!before || !after) return "";
  const text = (value: unknown) => {
    if (value === null) return "–";
    if (typeof value !== "string") return JSON.stringify(value);
    return TIME.test(value) ? format.clock(value) : value;
  };
  const parts = Object.keys(after).map((name) => {
    const [was, is] = [(before as Fields)[name], (after as Fields)[name]];
    return `${names[name] ?? name}: ${text(was ?? null)} → ${text(is ?? null)}`;
  });
  const whole = parts.join(", ");
  return whole.length > SHOWN_MAX ? `${whole.slice(0, SHOWN_MAX)}…` : whole;
}

type Fields = Record<string, unknown>;
