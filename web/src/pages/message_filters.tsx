// The filters of the message list, which are part of the address.
import { Input, Popover, Select, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { listDevices, type MessageQuery } from "../api/operations.ts";
import type { MessageState as Word } from "../api/types.ts";
import { useAccountId, useSession } from "../session/session.tsx";
import { useText, useWords } from "../texts/index.tsx";
import { FilterBar } from "../ui/filter_bar.tsx";
import { Icon } from "../ui/icon.tsx";
import { everyItem } from "../ui/paged.ts";
import { asInstant, asLocal, type Filters } from "../ui/url_state.ts";
import classes from "./messages.module.css";

const CHOICES_MAX = 50; // Devices that match the typed text.
const SEARCHED_FROM = 10; // Choices. A shorter list is faster without the phone's keyboard.

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
  const devices = useQuery({
    queryKey: ["devices", account, "all"],
    queryFn: () => everyItem((cursor) => listDevices({ account, cursor })),
  });
  const states = Object.entries(t.states).map(([value, label]) => ({ value, label }));
  const codes = Object.entries(t.codes).map(([name, label]) => {
    const value = name.slice(1);
    return { value, label: `${value} ${label}` };
  });
  const choice = (
    name: Name,
    label: string,
    any: string,
    data: string[] | { value: string; label: string }[],
  ) => (
    <Select
      aria-label={label}
      placeholder={any}
      data={data}
      value={filters[name] || null}
      onChange={(value) => set({ [name]: value ?? "" })}
      comboboxProps={{ width: "max-content", position: "bottom-start" }}
      limit={CHOICES_MAX}
      searchable={data.length > SEARCHED_FROM}
      clearable
      size="xs"
    />
  );
  return (
    <FilterBar any={any} onClear={clear}>
      {/* People who see masked numbers cannot search for one. */}
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
        (devices.data ?? []).map((one) => one.number),
      )}
      {choice("code", t.code, t.anyCode, codes)}
      <TimeFilter since={filters.since} until={filters.until} set={set} />
      <TextFilter label={t.text} value={filters.text} onSet={(text) => set({ text })} />
    </FilterBar>
  );
}

interface TimeFilterProps {
  since: string;
  until: string;
  set: (changed: { since?: string; until?: string }) => void;
}

/** A range of time, behind a button that shows it. */
function TimeFilter({ since, until, set }: TimeFilterProps) {
  const { t: texts, format } = useWords();
  const t = texts.messages;
  const parts = [
    since && t.from_(format.minute(since)),
    until && t.until_(format.minute(until)),
  ].filter(Boolean);
  const chosen = parts.join(", ") || t.anyTime;
  const moment = (name: "since" | "until", value: string) => (
    <TextInput
      type="datetime-local"
      label={t[name]}
      value={asLocal(value || null)}
      onChange={(event) => set({ [name]: asInstant(event.currentTarget.value) ?? "" })}
      size="xs"
    />
  );
  return (
    <Popover position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Input
          component="button"
          type="button"
          pointer
          size="xs"
          aria-label={`${t.time}: ${chosen}`}
          title={chosen}
          rightSection={<Icon name="chevron" size={14} />}
          rightSectionPointerEvents="none"
        >
          {parts.length === 0 ? (
            <Input.Placeholder>{chosen}</Input.Placeholder>
          ) : (
            <span className={classes.chosen}>{chosen}</span>
          )}
        </Input>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {moment("since", since)}
          {moment("until", until)}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface TextFilterProps {
  label: string;
  value: string;
  onSet: (value: string) => void;
  numeric?: boolean;
}

/** Applies the text on blur or Enter, because the search finds only whole words. */
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
