// Requests and notices of the worker to the gateway, with the names and limits of the protocol.
import { type Clock, pause } from "../process/clock.js";
import { type ErrorFields, ProtocolError, shortened } from "./errors.js";
import type { Line } from "./lines.js";
import type { Peer } from "./peer.js";

export type DeviceState =
  | "connected"
  | "restricted"
  | "reconnecting"
  | "pairing"
  | "disconnected"
  | "logged_out"
  | "replaced"
  | "banned";

export interface PairingStep {
  method: "qr" | "code" | "passkey";
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

/// One start of a device, until it is stopped. All that is reported and stored for the device then
/// carries the generation that the gateway gave to the start.
export interface Run {
  /// A repeated start may raise it. Undefined: the gateway gives none.
  generation: number | undefined;
  /// Called when the gateway answers that this generation is over.
  over: () => void;
}

const REASON_BYTES_MAX = 512;
const BUSY_MS = 500;
// How long a request that is answered `busy` is repeated.
const BUSY_MS_MAX = 30_000;
const STATES_MAX = 16;

interface WaitingState {
  fields: Line;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/// The gateway, as the worker calls it. When a promise resolves, the data is durable.
///
/// Operation: a request that is answered `busy` is repeated for at most 30 s. States are reported
/// one after another, in their order; after `busy` only the newest of them is repeated, until the
/// gateway takes it. `forRun` returns the gateway for one start of a device: its requests carry the
/// start's generation.
///
/// Errors: ProtocolError with the gateway's answer.
export class Gateway implements ValueStore {
  private states: WaitingState[] = [];
  private reporting = false;

  constructor(
    private readonly peer: Pick<Peer, "request" | "notice">,
    private readonly clock: Clock,
    private readonly run?: Run,
  ) {}

  forRun(run: Run): Gateway {
    return new Gateway(this.peer, this.clock, run);
  }

  async get(device: string, names: string[]): Promise<StoredValues> {
    const result = await this.offer("store.get", { device, names });
    return (result["values"] ?? {}) as StoredValues;
  }

  async put(device: string, values: StoredValues, clear = false): Promise<void> {
    await this.offer("store.put", clear ? { device, values, clear } : { device, values });
  }

  /// `until`: the end of the state `restricted`. Resolves when this state, or a newer one of the
  /// same start, is durable.
  state(
    device: string,
    state: DeviceState,
    reason = "",
    code?: string,
    until?: number,
  ): Promise<void> {
    const fields = {
      device,
      state,
      reason: shortened(reason, REASON_BYTES_MAX),
      ...(code ? { platform_code: code } : {}),
      ...(until === undefined ? {} : { until_at_ms: Math.ceil(until) }),
    };
    return new Promise((resolve, reject) => {
      this.states.push({ fields, resolve, reject });
      if (this.states.length > STATES_MAX) {
        this.dropOldStates();
      }
      void this.reportStates();
    });
  }

  pairing(device: string, step: PairingStep): void {
    this.peer.notice("device.pairing", { device, ...this.generation(), ...step });
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

  private async reportStates(): Promise<void> {
    if (this.reporting) {
      return;
    }
    this.reporting = true;
    for (let next = this.states.shift(); next; next = this.states.shift()) {
      try {
        await this.ask("device.state", next.fields);
        next.resolve();
      } catch (error) {
        if (!(error instanceof ProtocolError && error.kind === "busy")) {
          next.reject(error);
          continue;
        }
        this.states.unshift(next);
        await pause(this.clock, error.retryAfterMs ?? BUSY_MS);
        this.dropOldStates();
      }
    }
    this.reporting = false;
  }

  private dropOldStates(): void {
    const newest = this.states.pop()!;
    this.states.forEach((old) => old.resolve());
    this.states = [newest];
  }

  private generation(): Line {
    return this.run?.generation === undefined ? {} : { generation: this.run.generation };
  }

  /// Asks once; again only if a repeated start has raised the generation meanwhile.
  private async ask(op: string, fields: Line): Promise<Line> {
    for (;;) {
      const generation = this.run?.generation;
      try {
        return await this.peer.request(op, { ...fields, ...this.generation() });
      } catch (error) {
        const stale = error instanceof ProtocolError && error.kind === "stale";
        if (stale && this.run && this.run.generation !== generation) {
          continue;
        }
        if (stale) {
          this.run?.over();
        }
        throw error;
      }
    }
  }

  private async offer(op: string, fields: Line): Promise<Line> {
    const giveUpAt = this.clock.now() + BUSY_MS_MAX;
    for (;;) {
      try {
        return await this.ask(op, fields);
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
