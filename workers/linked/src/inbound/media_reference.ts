// The address and the key of a received message's media. The gateway keeps them with the message,
// and returns them to the worker when somebody requests the media.
import { ProtocolError } from "../protocol/errors.js";
import { details } from "../texts.js";

export interface MediaReference {
  kind: "image" | "video" | "audio" | "document" | "sticker";
  mime: string;
  bytes: number;
  path: string;
  host: string | undefined;
  key: string; // Base64.
  sha256: string | undefined; // Base64.
}

export const REFERENCE_BYTES_MAX = 4_096;

/// Undefined if it is longer than the gateway accepts; the media cannot be downloaded then.
export function referenceText(reference: MediaReference): string | undefined {
  const text = JSON.stringify(reference);
  return Buffer.byteLength(text) <= REFERENCE_BYTES_MAX ? text : undefined;
}

export function readReference(text: string | undefined): MediaReference {
  if (!text) {
    throw new ProtocolError("not_found", details.mediaUnknown);
  }
  try {
    return JSON.parse(text) as MediaReference;
  } catch {
    throw new ProtocolError("invalid", "field reference");
  }
}
