// The filters of the message list, which are part of the address.
import { Select } from "@mantine/core";
import type { MessageQuery } from "../../api/messages.ts";
import type { MessageState as Word } from "../../api/types.ts";
import { useSession } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { FilterBar } from "../../ui/filter_bar.tsx";
import { looksLikeNumber, phoneNumber } from "../../ui/phone_number.ts";
import { TextFilter } from "../../ui/text_filter.tsx";
import type { Filters } from "../../ui/url_state.ts";
import { useAllDevices } from "../devices/all_devices.ts";
import { DeviceSelect } from "../devices/device_select.tsx";
import { TimeFilter } from "./time_filter.tsx";

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
  const { can } = useSession();
  const devices = useAllDevices().data;
  const isSearched = (devices?.items.length ?? 0) > SEARCHED_FROM;
  const states = Object.entries(t.states).map(([value, label]) => ({ value, label }));
  const codes = Object.entries(t.codes).map(([name, label]) => {
    const value = name.slice(1);
    return { value, label: `${value} ${label}` };
  });
  const choice = (
    name: Name,
    label: string,
    any: string,
    data: { value: string; label: string }[],
  ) => (
    <Select
      aria-label={label}
      placeholder={any}
      data={data}
      value={filters[name] || null}
      onChange={(value) => set({ [name]: value ?? "" })}
      comboboxProps={{ width: "max-content", position: "bottom-start" }}
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
          onSet={(to) => set({ to })}
          clean={phoneNumber}
          isComplete={looksLikeNumber}
          numeric
        />
      )}
      {choice("state", t.state, t.anyState, states)}
      <DeviceSelect
        aria-label={t.from}
        placeholder={t.anyDevice}
        value={filters.device || null}
        onChange={(device) => set({ device: device ?? "" })}
        comboboxProps={{ width: "max-content", position: "bottom-start" }}
        searchable={isSearched}
        clearable
        size="xs"
      />
      {choice("code", t.code, t.anyCode, codes)}
      <TimeFilter since={filters.since} until={filters.until} set={set} />
      <TextFilter label={t.text} value={filters.text} onSet={(text) => set({ text })} />
    </FilterBar>
  );
}
