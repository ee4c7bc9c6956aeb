// Requests and notices of the worker to the gateway, with the names and limits of the protocol.
import { type Clock, pause } from "../clock.js";
import { type ErrorFields, ProtocolError, shortened } from "./errors.js";
import type { Line } from "./lines.js";
import type { Peer } from "./peer.js";

export type DeviceState =
  "connected" | "reconnecting" | "pairing" | "disconnected" | "logged_out" | "replaced" | "banned";

export interface PairingStep {
  method: "qr" | "code";
  payload: string;
  expires_in_ms: number;
}

export interface MessageStatus {
  platform_id: string;
  message?: string;
  status: "sent" | "delivered" | "read" | "failed";
  occurred_at_ms?: number;
  error?: ErrorFields;
}

export interface InboundMessage {
  platform_id: string;
  from: string;
  type: string;
  text: string;
  media?: { mime: string; bytes: number; name?: string; reference?: string };
  occurred_at_ms: number;
}

/// Base64 texts by name; null removes.
export type StoredValues = Record<string, string | null>;

/// The durable store of a device's values.
export interface ValueStore {
  get(device: string, names: string[]): Promise<StoredValues>;
  /// Resolves when all values are durable. `clear` removes the device's other values first.
  put(device: string, values: StoredValues, clear?: boolean): Promise<void>;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

const REASON_BYTES_MAX = 512;
const BUSY_MS = 500;
// How long a request that is answered `busy` is repeated.
const BUSY_MS_MAX = 30_000;

/// The gateway, as the worker calls it. When a promise resolves, the data is durable.
///
/// Operation: a request that is answered `busy` is repeated for at most 30 s.
///
/// Errors: ProtocolError with the gateway's answer.
export class Gateway implements ValueStore {
  constructor(
    private readonly peer: Pick<Peer, "request" | "notice">,
    private readonly clock: Clock,
  ) {}

  async get(device: string, names: string[]): Promise<StoredValues> {
    const result = await this.offer("store.get", { device, names });
    return (result["values"] ?? {}) as StoredValues;
  }

  async put(device: string, values: StoredValues, clear = false): Promise<void> {
    await this.offer("store.put", clear ? { device, values, clear } : { device, values });
  }

  async state(device: string, state: DeviceState, reason = "", code?: string): Promise<void> {
    await this.offer("device.state", {
      device,
      state,
      reason: shortened(reason, REASON_BYTES_MAX),
      ...(code ? { platform_code: code } : {}),
    });
  }

  pairing(device: string, step: PairingStep): void {
    this.peer.notice("device.pairing", { device, ...step });
  }

  async status(device: string, status: MessageStatus): Promise<void> {
    await this.offer("message.status", { device, ...status });
  }

  async inbound(device: string, message: InboundMessage): Promise<void> {
    await this.offer("message.in", { device, ...message });
  }

  log(level: LogLevel, text: string, device?: string): void {
    this.peer.notice("log", { level, text, ...(device ? { device } : {}) });
  }

  private async offer(op: string, fields: Line): Promise<Line> {
    const giveUpAt = this.clock.now() + BUSY_MS_MAX;
    for (;;) {
      try {
        return await this.peer.request(op, fields);
      } catch (error) {
        const busy = error instanceof ProtocolError && error.kind === "busy";
        const left = giveUpAt - this.clock.now();
        if (!busy || left <= 0) {
          throw error;
        }
        await pause(this.clock, Math.min(error.retryAfterMs ?? BUSY_MS, left));
      }
    }
  }
}
