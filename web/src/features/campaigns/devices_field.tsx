// The devices that a campaign sends from: one or several of the account's.
import { MultiSelect } from "@mantine/core";
import { useText } from "../../texts/index.tsx";
import { useDeviceStateName } from "../../ui/device_state.tsx";
import { useAllDevices } from "../devices/all_devices.ts";
import { isOnline } from "../devices/device_select.tsx";

const SHOWN_MAX = 50; // Devices that match the typed text.

interface DevicesFieldProps {
  value: string[];
  onChange: (numbers: string[]) => void;
  error?: string | undefined;
}

export function DevicesField({ value, onChange, error }: DevicesFieldProps) {
  const { campaigns: t, connectors } = useText();
  const nameOf = useDeviceStateName();
  const devices = useAllDevices().data?.items ?? [];
  const choices = devices.map((one) => {
    const marks = [one.simulated && connectors.simulated, !isOnline(one) && nameOf(one.state)];
    const mark = marks.filter(Boolean).join(", ");
    return { value: one.number, label: mark ? `${one.number} (${mark})` : one.number };
  });
  for (const number of value) {
    if (!devices.some((one) => one.number === number)) {
      choices.push({ value: number, label: number });
    }
  }
  return (
    <MultiSelect
      label={t.devices}
      description={t.devicesHint}
      error={error}
      data={choices}
      value={value}
      onChange={onChange}
      limit={SHOWN_MAX}
      searchable
      hidePickedOptions
      clearable={false}
    />
  );
}
