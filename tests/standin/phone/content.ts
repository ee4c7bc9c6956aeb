// The content of a decrypted message: a text, or a reference to media.
import { randomInt } from "node:crypto";
import { ProtocolError } from "../wire/node.ts";
import { Message, message } from "../wire/protobuf.ts";
import type { AppStateKey } from "./app_state.ts";
import { mediaKinds, type MediaKind, type MediaReference } from "./media.ts";

export interface Content {
  kind: "text" | MediaKind | "other";
  text?: string | undefined;
  caption?: string | undefined;
  mimetype?: string | undefined;
  fileName?: string | undefined;
  /** An audio that is a voice note. */
  voice?: boolean | undefined;
  media?: MediaReference | undefined;
}

/** For each kind, the number of its field in a message, and of the fields inside it. */
const fields = {
  image: { at: 3, mimetype: 2, hash: 4, length: 5, key: 8, encryptedHash: 9, path: 11, caption: 3 },
  document: {
    ...{ at: 7, mimetype: 2, hash: 4, length: 5, key: 7, encryptedHash: 9, path: 10 },
    ...{ caption: 20, fileName: 8 },
  },
  audio: { at: 8, mimetype: 2, hash: 3, length: 4, key: 7, encryptedHash: 8, path: 9, voice: 6 },
  video: {
    at: 9,
    mimetype: 2,
    hash: 3,
    length: 4,
    key: 6,
    encryptedHash: 11,
    path: 13,
    caption: 7,
  },
  sticker: { at: 26, mimetype: 5, hash: 2, length: 9, key: 4, encryptedHash: 3, path: 8 },
} satisfies Record<MediaKind, Partial<Record<string, number>>>;
type Fields = Record<
  "at" | "mimetype" | "hash" | "length" | "key" | "encryptedHash" | "path",
  number
> &
  Partial<Record<"caption" | "fileName" | "voice", number>>;

const conversation = 1;
const extendedText = 6;
const protocolMessage = 12;
const deviceSent = 31;
/** Messages that only wrap another, as their first field. */
const wrappers = [37, 40, 53, 55];
/** Kinds of protocol messages. */
const historySync = 5;
const keyShare = 6;

export interface Opened {
  content: Content;
  /** The chat that a companion of the same account wrote to. */
  sentTo: string | undefined;
}

export function readContent(padded: Buffer): Opened {
  let inside = new Message(unpad(padded));
  const sent = inside.message(deviceSent);
  if (sent) inside = new Message(sent.need(2));
  for (const wrapper of wrappers) inside = inside.message(wrapper)?.message(1) ?? inside;
  return { content: contentOf(inside), sentTo: sent?.text(1) };
}

function contentOf(inside: Message): Content {
  const text = inside.text(conversation) ?? inside.message(extendedText)?.text(1);
  if (text !== undefined) return { kind: "text", text };
  for (const kind of mediaKinds) {
    const at: Fields = fields[kind];
    const found = inside.message(at.at);
    if (found) return mediaContent(kind, at, found);
  }
  return { kind: "other" };
}

function mediaContent(kind: MediaKind, at: Fields, found: Message): Content {
  return {
    kind,
    mimetype: found.text(at.mimetype),
    caption: at.caption && found.text(at.caption),
    fileName: at.fileName && found.text(at.fileName),
    voice: at.voice === undefined ? undefined : found.number(at.voice) === 1,
    media: {
      key: found.need(at.key),
      hash: found.need(at.hash),
      encryptedHash: found.need(at.encryptedHash),
      length: found.number(at.length) ?? 0,
      path: found.need(at.path).toString(),
    },
  } as Content;
}

/** A padded message; `sentTo` wraps it for the account's own devices. */
export function writeContent(content: Content, url: (path: string) => string, sentTo?: string) {
  const inside = plainMessage(content, url);
  const wrapped = message({ [deviceSent]: message({ 1: sentTo, 2: inside }) });
  return pad(sentTo === undefined ? inside : wrapped);
}

function plainMessage(content: Content, url: (path: string) => string): Buffer {
  const { kind, media } = content;
  if (kind === "text") return message({ [conversation]: content.text });
  if (kind === "other" || !media) throw new Error(`a phone does not send ${kind}`);
  const at: Fields = fields[kind];
  const urlField = 1;
  const fieldsOf: Parameters<typeof message>[0] = {
    [urlField]: url(media.path),
    [at.mimetype]: content.mimetype,
    [at.hash]: media.hash,
    [at.length]: media.length,
    [at.key]: media.key,
    [at.encryptedHash]: media.encryptedHash,
    [at.path]: media.path,
  };
  if (at.caption !== undefined) fieldsOf[at.caption] = content.caption;
  if (at.fileName !== undefined) fieldsOf[at.fileName] = content.fileName;
  if (at.voice !== undefined) fieldsOf[at.voice] = content.voice;
  return message({ [at.at]: message(fieldsOf) });
}

/** The messages of a phone to a new companion: a key for the app state, and the history. */
export function welcomes(rawId: number, appStateKey: AppStateKey, history: Buffer[]): Buffer[] {
  const keyId = message({ 1: appStateKey.id });
  const fingerprint = message({ 1: rawId, 2: 0 });
  const keyData = message({ 1: appStateKey.key, 2: fingerprint, 3: Date.now() });
  const keys = message({ 1: message({ 1: keyId, 2: keyData }) });
  const notices = history.map((notice) => message({ 2: historySync, 6: notice }));
  return [message({ 2: keyShare, 7: keys }), ...notices].map((inside) =>
    pad(message({ [protocolMessage]: inside })),
  );
}

function pad(plain: Buffer): Buffer {
  const length = randomInt(1, 17);
  return Buffer.concat([plain, Buffer.alloc(length, length)]);
}

function unpad(padded: Buffer): Buffer {
  const length = padded.at(-1) ?? 0;
  if (length === 0 || length > padded.length) throw new ProtocolError("a message padded wrongly");
  return padded.subarray(0, padded.length - length);
}
