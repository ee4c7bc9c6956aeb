// The state of a device from one start to its end.
import type { AuthenticationCreds } from "baileys";
import type { PairingMethod } from "./pairing_steps.js";

/// Begins with a start. Ends with a stop, the next start, or a close that needs a person.
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
