// Maps the platform's refusals to the protocol's error kinds. The errors keep the platform's code.
import { ProtocolError } from "../protocol/errors.js";
import { details } from "../texts.js";

/// The code of an acknowledgement that refuses a message.
export function refusal(code: string): ProtocolError {
  const status = Number(code);
  switch (code) {
    case "463": // No privacy token of the contact: the account may not start this chat.
      return new ProtocolError("account_restricted", details.newChatRefused, code);
    case "479": // The device list was out of date, also after it was fetched again.
      return new ProtocolError("refused", details.messageRefused, code);
    case "403":
    case "405":
      return new ProtocolError("recipient_refused", details.recipientRefuses, code);
    case "404":
      return new ProtocolError("recipient_unregistered", details.recipientUnregistered, code);
    case "429":
      return new ProtocolError("throttled", details.rateLimited, code);
    default:
      return status >= 500
        ? new ProtocolError("unavailable", details.platformUnavailable, code)
        : new ProtocolError("refused", details.messageRefused, code);
  }
}

/// For a failed look-up or preparation, before anything of the message has left.
export function nothingSent(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) {
    return error;
  }
  return withoutCause(error).because(error);
}

function withoutCause(error: unknown): ProtocolError {
  const status = (error as { output?: { statusCode?: number } })?.output?.statusCode;
  const code = (error as { data?: unknown })?.data;
  if (status === 429 || code === 429) {
    return new ProtocolError("throttled", details.rateLimited, "429");
  }
  if (status === 428 || status === 401 || status === 440) {
    return new ProtocolError("device_down", details.deviceDown, String(status));
  }
  return new ProtocolError(
    "unavailable",
    details.platformUnavailable,
    status === undefined ? undefined : String(status),
  );
}

/// The refusal of a file whose text the recipient has.
export function fileRefusal(code: string): ProtocolError {
  return new ProtocolError(refusal(code).kind, details.fileRefused, code);
}

export function unknownOutcome(why: string): ProtocolError {
  return new ProtocolError("outcome_unknown", why);
}
