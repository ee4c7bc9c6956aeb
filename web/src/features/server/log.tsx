// The log of changes, newest first, of one account or of all.
import { Select } from "@mantine/core";
import type { LogEntry } from "../../api/types.ts";
import { UNANNOUNCED, usePaged } from "../../live/paged.ts";
import { server } from "../../queries/server.ts";
import { useAllAccounts } from "../../session/session.tsx";
import type { Format } from "../../texts/format.ts";
import { useText, useWords } from "../../texts/index.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { FilterBar } from "../../ui/filter_bar.tsx";
import { EmptyFilter, Mono, OneLine, Quiet } from "../../ui/notes.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { useFilters } from "../../ui/url_state.ts";

const FILTERS = ["account"] as const;
const CHOICES_MAX = 50; // Accounts that match the typed text.

export function Log() {
  const t = useText();
  const accounts = useAllAccounts();
  const { filters, set, clear, any } = useFilters(FILTERS);
  const { account } = filters;
  const log = usePaged(server.log(account), { pagesMax: 40, every: UNANNOUNCED });
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
        since={log.since}
        next={log.next}
        empty={any ? <EmptyFilter onClear={clear} /> : null}
      />
    </>
  );
}

function useColumns(): Column<LogEntry>[] {
  const { t, format } = useWords();
  const accounts = useAllAccounts();
  const nameOf = (id: string | null) => accounts.find((one) => one.id === id)?.name ?? id ?? "";
  // Few columns, of which none is kept on one line, so that the changes have room.
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
      phone: "title",
      cell: (one) => (
        <div>
          <What entry={one} />
          {one.object && <OneLine>{one.object}</OneLine>}
        </div>
      ),
    },
    {
      key: "fields",
      head: t.admin.fields,
      cell: (one) => {
        const lines = changesOf(one, t.log.fields, format);
        return (
          lines.length > 0 && (
            <div>
              {lines.map((line) => (
                <div key={line}>{line}</div>
              ))}
            </div>
          )
        );
      },
    },
    {
      key: "who",
      head: t.admin.who,
      cell: (one) => (
        <div>
          {one.actor.name ?? one.actor.id ?? t.admin.actors[one.actor.kind]}
          {one.door !== "network" && <Quiet> {t.admin.doors[one.door]}</Quiet>}
          {one.account && (
            <div>
              <Quiet>{nameOf(one.account)}</Quiet>
            </div>
          )}
        </div>
      ),
    },
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

const SHOWN_MAX = 120; // Characters of one change; the log itself has all of it.

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

type Fields = Record<string, unknown>;

/** "Gap (ms): 0 → 3000" for each changed field; empty for a created or removed item. */
export function changesOf(
  { before, after }: Pick<LogEntry, "before" | "after">,
  names: Record<string, string>,
  format: Pick<Format, "clock" | "number">,
): string[] {
  if (!before || !after) return [];
  return Object.keys(after).map((name) => {
    const [was, is] = [(before as Fields)[name], (after as Fields)[name]];
    const line = `${names[name] ?? name}: ${valueText(was, format)} → ${valueText(is, format)}`;
    return line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX)}…` : line;
  });
}

/** A value of the log in words: "–" for none, a list by commas, the parts of an object by name. */
function valueText(value: unknown, format: Pick<Format, "clock" | "number">): string {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "string") return TIME.test(value) ? format.clock(value) : value;
  if (typeof value === "number") return format.number(value);
  if (Array.isArray(value)) {
    return value.map((one) => valueText(one, format)).join(", ") || "–";
  }
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name} ${valueText(part, format)}`)
    .join(", ");
}
