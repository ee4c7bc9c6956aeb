// Media on the media host: each file is encrypted with its own key, which the message contains.
import { randomBytes } from "node:crypto";
import { decryptCbc, encryptCbc, hkdf, hmac, sha256 } from "../crypto/ciphers.ts";
import { ProtocolError } from "../wire/node.ts";

export const mediaKinds = ["image", "video", "audio", "document", "sticker"] as const;
export type MediaKind = (typeof mediaKinds)[number];

/** A message's reference to its media. */
export interface MediaReference {
  key: Buffer;
  hash: Buffer;
  encryptedHash: Buffer;
  length: number;
  path: string;
}

const macLength = 10;
const info: Record<MediaKind | "history" | "app state", string> = {
  history: "WhatsApp History Keys",
  "app state": "WhatsApp App State Keys",
  image: "WhatsApp Image Keys",
  video: "WhatsApp Video Keys",
  audio: "WhatsApp Audio Keys",
  document: "WhatsApp Document Keys",
  sticker: "WhatsApp Image Keys",
};

/** Encrypts and stores the data; `store` returns the path. */
export function sealMedia(
  kind: MediaKind | "history" | "app state",
  data: Buffer,
  store: (sealed: Buffer) => string,
): MediaReference {
  const key = randomBytes(32);
  const { iv, cipherKey, macKey } = expand(kind, key);
  const encrypted = encryptCbc(cipherKey, iv, data);
  const mac = hmac(macKey, iv, encrypted).subarray(0, macLength);
  const sealed = Buffer.concat([encrypted, mac]);
  return {
    key,
    hash: sha256(data),
    encryptedHash: sha256(sealed),
    length: data.length,
    path: store(sealed),
  };
}

/** Decrypts the media, and checks it against the reference. */
export function openMedia(kind: MediaKind, reference: MediaReference, sealed: Buffer): Buffer {
  const { iv, cipherKey, macKey } = expand(kind, reference.key);
  const encrypted = sealed.subarray(0, -macLength);
  const mac = hmac(macKey, iv, encrypted).subarray(0, macLength);
  if (!mac.equals(sealed.subarray(-macLength))) throw new ProtocolError("media with a wrong MAC");
  if (!sha256(sealed).equals(reference.encryptedHash)) {
    throw new ProtocolError("media with a wrong hash of what is encrypted");
  }
  const data = decryptCbc(cipherKey, iv, encrypted);
  if (!sha256(data).equals(reference.hash)) throw new ProtocolError("media with a wrong hash");
  if (data.length !== reference.length) throw new ProtocolError("media of another length");
  return data;
}

function expand(
  kind: keyof typeof info,
  key: Buffer,
): { iv: Buffer; cipherKey: Buffer; macKey: Buffer } {
  const keys = hkdf(key, 112, info[kind]);
  return {
    iv: keys.subarray(0, 16),
    cipherKey: keys.subarray(16, 48),
    macKey: keys.subarray(48, 80),
  };
}
