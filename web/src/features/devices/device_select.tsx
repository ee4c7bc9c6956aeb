// A choice among the account's devices, which says which of them are simulated.
import { Select, type SelectProps } from "@mantine/core";
import { useState } from "react";
import type { Device } from "../../api/types.ts";
import { useText } from "../../texts/index.tsx";
import { looksLikeNumber, phoneNumber } from "../../ui/phone_number.ts";
import { useAllDevices } from "./all_devices.ts";

const CHOICES_MAX = 50; // Devices that match the typed text.

interface DeviceSelectProps extends Omit<SelectProps<string>, "data" | "limit" | "searchValue"> {
  onlineFirst?: boolean; // Whether devices that can send now are a group before the others.
}

/** Whether the gateway accepts messages for the device, and can send them. */
export function isOnline({ state }: Pick<Device, "state">): boolean {
  return state === "connected" || state === "restricted" || state === "reconnecting";
}

/** Of an account with more devices than are read, a typed number is offered too. */
export function DeviceSelect({ value, onlineFirst, ...others }: DeviceSelectProps) {
  const { connectors: t, send } = useText();
  const { items, more } = useAllDevices().data ?? { items: [], more: false };
  const [typed, setTyped] = useState("");
  const choices = items.map(({ number, simulated, state }) => ({
    value: number,
    label: simulated ? `${number} (${t.simulated})` : number,
    online: isOnline({ state }),
  }));
  const offered = [value ?? "", more && looksLikeNumber(typed) ? phoneNumber(typed) : ""];
  for (const number of new Set(offered)) {
    if (number && !items.some((one) => one.number === number)) {
      choices.push({ value: number, label: number, online: false });
    }
  }
  const groups = [
    { group: send.online, items: choices.filter((one) => one.online) },
    { group: send.offline, items: choices.filter((one) => !one.online) },
  ].filter((one) => one.items.length > 0);
  return (
    <Select
      {...others}
      data={onlineFirst ? groups : choices}
      value={value}
      limit={CHOICES_MAX}
      searchValue={typed}
      onSearchChange={setTyped}
    />
  );
}
