// Converts a message of the platform into the gateway's form.
import { type BinaryNode, normalizeMessageContent, type proto } from "baileys";
import { shortened } from "../protocol/errors.js";
import { type InboundMessage } from "../protocol/gateway.js";
import { type MediaReference, referenceText } from "./media_reference.js";
import { milliseconds } from "./receipts.js";

/// A message without its sender, whose number needs a look-up.
export type Received = Omit<InboundMessage, "from">;

const TEXT_BYTES_MAX = 200_000;
const NAME_BYTES_MAX = 255;
const ID_LENGTH_MAX = 256;

type Shown = Pick<InboundMessage, "type" | "text"> & { media?: Found };

interface Found {
  kind: MediaReference["kind"];
  message: MediaFields;
  name?: string | null;
}

interface MediaFields {
  url?: string | null;
  directPath?: string | null;
  mediaKey?: Uint8Array | null;
  mimetype?: string | null;
  fileLength?: number | { toNumber(): number } | null;
  fileSha256?: Uint8Array | null;
}

/// Undefined: it is no message that a person wrote. `id` and `seconds` come from the platform.
export function received(
  content: proto.IMessage | null | undefined,
  id: string | undefined | null,
  seconds: string | undefined,
  now: number,
): Received | undefined {
  if (!id || !/^[\x21-\x7e]+$/.test(id) || id.length > ID_LENGTH_MAX) {
    return undefined;
  }
  const shown = shownOf(normalizeMessageContent(content ?? undefined));
  if (!shown) {
    return undefined;
  }
  const media = shown.media && referenceOf(shown.media);
  const message: Received = {
    platform_id: id,
    type: shown.type,
    text: shortened(shown.text, TEXT_BYTES_MAX),
    occurred_at_ms: milliseconds(seconds) ?? now,
  };
  if (media) {
    const name = shortened(shown.media?.name ?? "", NAME_BYTES_MAX);
    const reference = referenceText(media);
    message.media = {
      mime: media.mime,
      bytes: media.bytes,
      ...(name === "" ? {} : { name }),
      ...(reference === undefined ? {} : { reference }),
    };
  }
  return message;
}

/// Whether the node carries a message from one person to this account.
export function isFromPerson(node: BinaryNode, own: (address: string) => boolean): boolean {
  const { from, recipient, participant } = node.attrs;
  return (
    from !== undefined &&
    recipient === undefined &&
    participant === undefined &&
    /@(s\.whatsapp\.net|lid|hosted|hosted\.lid)$/.test(from) &&
    !own(from)
  );
}

/// Whether the node is a message of the account's phone to this companion alone.
export function isFromPhone(node: BinaryNode, own: (address: string) => boolean): boolean {
  const { from = "", category } = node.attrs;
  return category === "peer" && own(from) && !/:[1-9]\d*@/.test(from);
}

function shownOf(content: proto.IMessage | undefined): Shown | undefined {
  if (!content || content.protocolMessage || content.reactionMessage || content.pollUpdateMessage) {
    return undefined;
  }
  return textOf(content) ?? mediaOf(content) ?? otherOf(content);
}

function textOf(content: proto.IMessage): Shown | undefined {
  const text = content.conversation || content.extendedTextMessage?.text;
  return text ? { type: "text", text } : undefined;
}

function mediaOf(content: proto.IMessage): Shown | undefined {
  const { imageMessage, videoMessage, ptvMessage, audioMessage, documentMessage, stickerMessage } =
    content;
  if (imageMessage) {
    return mediaShown(imageMessage, "image", imageMessage.caption);
  }
  const video = videoMessage ?? ptvMessage;
  if (video) {
    return mediaShown(video, "video", video.caption);
  }
  if (audioMessage) {
    return mediaShown(audioMessage, "audio", "");
  }
  if (documentMessage) {
    const { fileName, title, caption } = documentMessage;
    return mediaShown(documentMessage, "document", caption, fileName ?? title);
  }
  return stickerMessage ? mediaShown(stickerMessage, "sticker", "") : undefined;
}

function mediaShown(
  message: MediaFields,
  kind: MediaReference["kind"],
  caption: string | null | undefined,
  name?: string | null,
): Shown {
  return { type: kind, text: caption ?? "", media: { kind, message, name: name ?? null } };
}

function otherOf(content: proto.IMessage): Shown | undefined {
  const place = content.locationMessage ?? content.liveLocationMessage;
  if (place) {
    const { degreesLatitude, degreesLongitude } = place;
    return { type: "location", text: `${degreesLatitude ?? 0},${degreesLongitude ?? 0}` };
  }
  const contacts = content.contactMessage
    ? [content.contactMessage]
    : content.contactsArrayMessage?.contacts;
  if (contacts) {
    return { type: "contact", text: contacts.map((contact) => contact.vcard ?? "").join("\n") };
  }
  const chosen =
    content.buttonsResponseMessage?.selectedDisplayText ??
    content.templateButtonReplyMessage?.selectedDisplayText ??
    content.listResponseMessage?.title;
  const silent = ["messageContextInfo", "senderKeyDistributionMessage"];
  const said = Object.entries(content).some(([name, value]) => value && !silent.includes(name));
  return said ? { type: "other", text: chosen ?? "" } : undefined;
}

function referenceOf({ kind, message }: Found): MediaReference | undefined {
  const { mediaKey, directPath, url, mimetype, fileLength, fileSha256 } = message;
  if (!mediaKey?.length || !(directPath || url)) {
    return undefined;
  }
  const bytes = typeof fileLength === "object" ? (fileLength?.toNumber() ?? 0) : (fileLength ?? 0);
  return {
    kind,
    bytes: Number.isSafeInteger(bytes) && bytes > 0 ? bytes : 0,
    mime: (mimetype ?? "application/octet-stream").slice(0, 128),
    path: directPath || pathOf(url!),
    host: url ? hostOf(url) : undefined,
    key: Buffer.from(mediaKey).toString("base64"),
    sha256: fileSha256?.length ? Buffer.from(fileSha256).toString("base64") : undefined,
  };
}

function pathOf(url: string): string {
  try {
    const { pathname, search } = new URL(url);
    return pathname + search;
  } catch {
    return "/";
  }
}

function hostOf(url: string): string | undefined {
  try {
    return new URL(url).host;
  } catch {
    return undefined;
  }
}
