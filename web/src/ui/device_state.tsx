import type { Device } from "../api/types.ts";
import { useText } from "../texts/index.tsx";
import { State, type Tone } from "./state.tsx";

const TONES: Record<string, Tone> = {
  connected: "good",
  reconnecting: "busy",
  pairing: "busy",
  unpaired: "warn",
  disconnected: "warn",
  paused: "warn",
  restricted: "warn",
  banned: "bad",
  logged_out: "bad",
  replaced: "bad",
};

export function isPaused(device: Device): boolean {
  return device.paused_since != null;
}

/** Whether the device sends. One that is restricted does, except messages that begin a chat. */
export function isOnline({ state }: { state: string }): boolean {
  return state === "connected" || state === "restricted";
}

/** Returns a function that translates a state. */
export function useDeviceStateName(): (state: string) => string {
  const names = useText().devices.states as Record<string, string>;
  return (state) => names[state] ?? state;
}

/** Whether the device is as it was added, and first has to be linked. */
export function isNew({ state, state_reason, state_since, created_at }: Device): boolean {
  return state === "disconnected" && state_reason === null && state_since === created_at;
}

export function DeviceState({ device }: { device: Device }) {
  const nameOf = useDeviceStateName();
  const word = isNew(device)
    ? "unpaired"
    : isPaused(device) && isOnline(device)
      ? "paused"
      : device.state;
  return <State tone={TONES[word] ?? "calm"}>{nameOf(word)}</State>;
}
