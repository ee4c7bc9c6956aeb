// What messages are looked for by. It stands in the address.
import { Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { listDevices, type MessageQuery } from "../api/operations.ts";
import type { MessageState as Word } from "../api/types.ts";
import { useAccountId, useSession } from "../session/session.tsx";
import { useText } from "../texts/index.tsx";
import { FilterBar } from "../ui/filter_bar.tsx";
import { asInstant, asLocal, type Filters } from "../ui/url_state.ts";

export const FILTERS = ["to", "state", "device", "code", "since", "until", "text"] as const;
type Name = (typeof FILTERS)[number];

export function queryOf(account: string, filters: Filters<Name>): MessageQuery {
  const { code, state, ...others } = filters;
  return { ...others, account, state: state as Word | "", code: Number(code) || undefined };
}

interface MessageFiltersProps {
  filters: Filters<Name>;
  set: (changed: Partial<Filters<Name>>) => void;
  clear: () => void;
  any: boolean;
}

export function MessageFilters({ filters, set, clear, any }: MessageFiltersProps) {
  const t = useText().messages;
  const account = useAccountId();
  const { can } = useSession();
  const devices = useQuery({ queryKey: ["devices", account], queryFn: () => listDevices(account) });
  const states = Object.entries(t.states).map(([value, label]) => ({ value, label }));
  const codes = Object.entries(t.codes).map(([name, label]) => {
    const value = name.slice(1);
    return { value, label: `${value} ${label}` };
  });
  const choice = (
    name: Name,
    label: string,
    any: string,
    data: Parameters<typeof Select>[0]["data"],
  ) => (
    <Select
      aria-label={label}
      placeholder={any}
      data={data}
      value={filters[name] || null}
      onChange={(value) => set({ [name]: value ?? "" })}
      comboboxProps={{ width: "max-content", position: "bottom-start" }}
      clearable
      size="xs"
    />
  );
  const moment = (name: "since" | "until") => (
    <TextInput
      type="datetime-local"
      aria-label={t[name]}
      title={t[name]}
      value={asLocal(filters[name] || null)}
      onChange={(event) => set({ [name]: asInstant(event.currentTarget.value) ?? "" })}
      size="xs"
    />
  );
  return (
    <FilterBar any={any} onClear={clear}>
      {/* Who sees numbers masked cannot look for one. */}
      {can("messages:manage") && (
        <TextFilter
          label={t.to}
          value={filters.to}
          onSet={(to) => set({ to: to.replaceAll(/[^\d]/g, "") })}
          numeric
        />
      )}
      {choice("state", t.state, t.anyState, states)}
      {choice(
        "device",
        t.from,
        t.anyDevice,
        (devices.data?.items ?? []).map((one) => one.number),
      )}
      {choice("code", t.code, t.anyCode, codes)}
      {moment("since")}
      {moment("until")}
      <TextFilter label={t.text} value={filters.text} onSet={(text) => set({ text })} />
    </FilterBar>
  );
}

interface TextFilterProps {
  label: string;
  value: string;
  onSet: (value: string) => void;
  numeric?: boolean;
}

/** Counts when it is left, or with Enter: whole words are looked for. */
function TextFilter({ label, value, onSet, numeric }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (typed.trim() !== value) onSet(typed.trim());
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        aria-label={label}
        placeholder={label}
        inputMode={numeric ? "numeric" : undefined}
        maxLength={numeric ? 64 : 128}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => submit()}
        size="xs"
      />
    </form>
  );
}
