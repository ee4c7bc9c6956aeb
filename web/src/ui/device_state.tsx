import type { Device } from "../api/types.ts";
import { useText } from "../texts/index.tsx";
import { State, type Tone } from "./state.tsx";

const TONES: Record<string, Tone> = {
  connected: "good",
  reconnecting: "busy",
  pairing: "busy",
  disconnected: "warn",
  paused: "warn",
  banned: "bad",
  logged_out: "bad",
  replaced: "bad",
};

export function isPaused(device: Device): boolean {
  return device.paused_since != null;
}

export function DeviceState({ device }: { device: Device }) {
  const t = useText().devices;
  const word = isPaused(device) && device.state === "connected" ? "paused" : device.state;
  const names = t.states as Record<string, string>;
  return <State tone={TONES[word] ?? "calm"}>{names[word] ?? word}</State>;
}
