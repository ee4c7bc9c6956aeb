// Errors of the connector protocol, in both directions.

export type ErrorKind =
  | "recipient_unregistered"
  | "recipient_invalid"
  | "recipient_refused"
  | "media_type"
  | "media_too_large"
  | "text_too_long"
  | "account_restricted"
  | "refused"
  | "unsupported"
  | "internal"
  | "throttled"
  | "restricted"
  | "unavailable"
  | "device_down"
  | "outcome_unknown"
  | "invalid"
  | "not_found"
  | "too_large"
  | "busy"
  | "closing"
  | "stale";

export interface ErrorFields {
  kind: string;
  details?: string;
  platform_code?: string;
  retry_after_ms?: number;
  until_at_ms?: number;
}

const DETAILS_BYTES_MAX = 512;
const CODE_LENGTH_MAX = 64;

/// An expected failure, with the fields that go into an answer. `details` are for people. Where it
/// stands for an error of another kind, that one is its `cause`, which goes to the log.
export class ProtocolError extends Error {
  constructor(
    readonly kind: ErrorKind,
    readonly details = "",
    readonly platformCode?: string,
    readonly retryAfterMs?: number,
    readonly untilAtMs?: number,
  ) {
    super(details === "" ? kind : `${kind}: ${details}`);
  }

  /// From an answer. A missing kind counts as `internal`.
  static from(fields: unknown): ProtocolError {
    const error = (fields ?? {}) as Partial<ErrorFields>;
    const kind = typeof error.kind === "string" ? (error.kind as ErrorKind) : "internal";
    return new ProtocolError(kind, error.details, error.platform_code, error.retry_after_ms);
  }

  /// Returns this error, with the one that it stands for.
  because(cause: unknown): this {
    this.cause = cause;
    return this;
  }

  fields(): ErrorFields {
    const fields: ErrorFields = { kind: this.kind };
    if (this.details !== "") {
      fields.details = shortened(this.details, DETAILS_BYTES_MAX);
    }
    const code = this.platformCode?.replace(/[^\x20-\x7e]/g, "").slice(0, CODE_LENGTH_MAX);
    if (code) {
      fields.platform_code = code;
    }
    if (this.retryAfterMs !== undefined) {
      fields.retry_after_ms = Math.round(this.retryAfterMs);
    }
    if (this.untilAtMs !== undefined) {
      fields.until_at_ms = Math.ceil(this.untilAtMs);
    }
    return fields;
  }
}

/// The longest prefix of whole characters with at most `bytesMax` bytes of UTF-8.
export function shortened(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) {
    return text;
  }
  let end = bytesMax;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) {
    end--;
  }
  return bytes.subarray(0, end).toString();
}
