// A choice among the account's devices, which says which of them are simulated.
import { Select, type SelectProps } from "@mantine/core";
import { useState } from "react";
import { useText } from "../../texts/index.tsx";
import { looksLikeNumber, phoneNumber } from "../../ui/phone_number.ts";
import { useAllDevices } from "./all_devices.ts";

const CHOICES_MAX = 50; // Devices that match the typed text.

type DeviceSelectProps = Omit<SelectProps<string>, "data" | "limit" | "searchValue">;

/** Of an account with more devices than are read, a typed number is offered too. */
export function DeviceSelect({ value, ...others }: DeviceSelectProps) {
  const t = useText().connectors;
  const { items, more } = useAllDevices().data ?? { items: [], more: false };
  const [typed, setTyped] = useState("");
  const choices = items.map(({ number, simulated }) => ({
    value: number,
    label: simulated ? `${number} (${t.simulated})` : number,
  }));
  const offered = [value ?? "", more && looksLikeNumber(typed) ? phoneNumber(typed) : ""];
  for (const number of new Set(offered)) {
    if (number && !items.some((one) => one.number === number)) {
      choices.push({ value: number, label: number });
    }
  }
  return (
    <Select
      {...others}
      data={choices}
      value={value}
      limit={CHOICES_MAX}
      searchValue={typed}
      onSearchChange={setTyped}
    />
  );
}
