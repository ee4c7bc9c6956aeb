// Who changed what, newest first: of one account or of all.
import { Select } from "@mantine/core";
import { listLog } from "../api/people.ts";
import type { LogEntry } from "../api/types.ts";
import { useSession } from "../session/session.tsx";
import { useText } from "../texts/index.tsx";
import { type Column, DataTable } from "../ui/data_table.tsx";
import { FilterBar } from "../ui/filter_bar.tsx";
import { EmptyFilter, Mono } from "../ui/notes.tsx";
import { usePaged } from "../ui/paged.ts";
import { Ago } from "../ui/time.tsx";
import { useFilters } from "../ui/url_state.ts";

const FILTERS = ["account"] as const;

export function Log() {
  const t = useText();
  const { accounts } = useSession();
  const { filters, set, clear, any } = useFilters(FILTERS);
  const { account } = filters;
  const log = usePaged(["log", account], (cursor) =>
    listLog({ limit: 25, cursor, ...(account && { account }) }),
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
  const t = useText();
  const { accounts } = useSession();
  const nameOf = (id: string | null) => accounts.find((one) => one.id === id)?.name ?? id ?? "";
  return [
    { key: "at", head: t.admin.when, narrow: true, cell: (one) => <Ago time={one.at} /> },
    {
      key: "who",
      head: t.admin.who,
      cell: (one) => one.actor.name ?? one.actor.id ?? t.admin.actors[one.actor.kind],
    },
    { key: "door", head: t.admin.door, narrow: true, cell: (one) => t.admin.doors[one.door] },
    {
      key: "what",
      head: t.admin.what,
      phone: "title",
      cell: (one) => <Mono>{one.operation}</Mono>,
    },
    { key: "object", head: t.admin.object, cell: (one) => one.object },
    { key: "fields", head: t.admin.fields, cell: (one) => fieldsOf(one) },
    { key: "account", head: t.shell.account, cell: (one) => nameOf(one.account) },
  ];
}

const SHOWN_MAX = 120; // Letters of a change; the whole is the log's own.

/** "gap_ms: 0 → 3000" of a change; what was made or removed has no two sides. */
export function fieldsOf({ before, after }: Pick<LogEntry, "before" | "after">): string {
  if (!before || !after) return "";
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const parts = Object.keys(after).map((name) => {
    const [was, is] = [(before as Fields)[name], (after as Fields)[name]];
    return `${name}: ${text(was ?? null)} → ${text(is ?? null)}`;
  });
  const whole = parts.join(", ");
  return whole.length > SHOWN_MAX ? `${whole.slice(0, SHOWN_MAX)}…` : whole;
}

type Fields = Record<string, unknown>;
