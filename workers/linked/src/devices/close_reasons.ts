// Decides what to do after a connection ended.
import type { DeviceState } from "../protocol/gateway.js";
import { reasons } from "../texts.js";

export interface Close {
  /// The platform's code, or a code of Baileys, such as 408 or 428 for a lost connection.
  code: number;
  text: string;
}

export type Consequence =
  /// Connect again at once, as the platform asks.
  | { kind: "restart" }
  /// Connect again after the back-off.
  | { kind: "retry"; reason: string }
  /// Stay disconnected until a person acts. `forget`: the credentials are void.
  | { kind: "end"; state: DeviceState; reason: string; forget: boolean };

/// A code of our own: the device was paired with a phone of another number.
export const OTHER_NUMBER = 1;

/// `paired`: the device has credentials; otherwise the connection was a pairing. `late`: the
/// pairing has exceeded its time limit.
export function consequence(close: Close, paired: boolean, late: boolean): Consequence {
  if (close.code === 515) {
    return { kind: "restart" };
  }
  if (paired) {
    return ofDevice(close);
  }
  const next = ofPairing(close);
  return late && next.kind === "retry" ? end("disconnected", reasons.linkingExpired) : next;
}

function ofDevice(close: Close): Consequence {
  switch (close.code) {
    case 401:
    case 406:
      return end("logged_out", reasons.unlinked, true);
    case 402:
      return end("banned", reasons.bannedForATime);
    case 403:
      return end("banned", reasons.banned);
    case 440:
      return end("replaced", reasons.usedElsewhere);
    case 411:
      return end("disconnected", reasons.cannotBeLinked);
    case 405:
      return retry(reasons.outdated);
    case 400:
      return retry(reasons.untrusted);
    case 503:
      return retry(reasons.platformUnavailable);
    default:
      return retry(reasons.connectionLost);
  }
}

/// A pairing that nobody completed ends. A pairing that only lost its connection continues.
function ofPairing(close: Close): Consequence {
  switch (close.code) {
    case 408:
      return /QR refs/.test(close.text)
        ? end("disconnected", reasons.linkingExpired)
        : retry(reasons.connectionLost);
    case 401:
    case 403:
    case 406:
      return end("disconnected", reasons.linkRefused);
    case 405:
      return end("disconnected", reasons.outdated);
    case OTHER_NUMBER:
      return end("disconnected", reasons.wrongNumber);
    case 400:
      return end("disconnected", reasons.untrusted);
    default:
      return retry(reasons.connectionLost);
  }
}

function retry(reason: string): Consequence {
  return { kind: "retry", reason };
}

function end(state: DeviceState, reason: string, forget = false): Consequence {
  return { kind: "end", state, reason, forget };
}

/// From the error with which Baileys ends a connection.
export function closeOf(error: unknown): Close {
  const status = (error as { output?: { statusCode?: unknown } } | undefined)?.output?.statusCode;
  const text = error instanceof Error ? error.message : "";
  return { code: typeof status === "number" ? status : 428, text };
}
