// A device's time between two starts.
import type { AuthenticationCreds } from "baileys";
import type { PairingMethod } from "./pairing_steps.js";

/// From one start to the stop, end or next start after it.
export interface Life {
  signal: AbortSignal;
  end: () => void;
  pairing: PairingMethod | undefined;
  credentials: AuthenticationCreds | undefined;
  paired: boolean;
  begunAt: number;
}

export function newLife(pairing: PairingMethod | undefined, now: number): Life {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    end: () => controller.abort(),
    pairing,
    credentials: undefined,
    paired: false,
    begunAt: now,
  };
}
