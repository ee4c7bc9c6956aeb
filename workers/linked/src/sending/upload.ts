// Uploads a file to the platform's media host. The file is encrypted piece by piece in memory;
// nothing is written to disk.
import { createCipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { type Agent, request } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  encodeBase64EncodedStringForUpload,
  getMediaKeys,
  MEDIA_PATH_MAP,
  type MediaConnInfo,
  proto,
} from "baileys";
import type { Clock } from "../process/clock.js";
import { TimedCache } from "../process/timed_cache.js";

export type UploadKind = "image" | "video" | "audio" | "document" | "sticker";

export interface Upload {
  kind: UploadKind;
  path: string;
  /// Its address for Baileys, with the content's hash at its end: see uploadCache.
  url: URL;
}

const KEPT_MAX = 128;
const KEPT_MS = 6 * 3_600_000; // The platform keeps files for weeks.

/// Baileys' cache of uploads, so that a campaign uploads its picture once. Baileys looks up by kind
/// and address; an entry's name is the kind and the content's hash, with which the address ends.
export function uploadCache(clock: Clock): TimedCache {
  const nameOf = (key: string): string => {
    const hash = key.lastIndexOf("#");
    return hash < 0 ? key : `${key.slice(0, key.indexOf(":"))}${key.slice(hash)}`;
  };
  return new TimedCache(clock, { entriesMax: KEPT_MAX, ms: KEPT_MS, nameOf });
}

const MAC_BYTES = 10;
const STALL_MS = 30_000;
const ANSWER_BYTES_MAX = 65_536;

interface Keys {
  cipherKey: Uint8Array;
  iv: Uint8Array;
  macKey: Uint8Array;
}

/// Returns the encoded message that names the file. `hosts` asks the platform where to upload; with
/// `true` it ignores an earlier answer. Errors: throws if no host takes the file.
export async function uploadFile(
  upload: Upload,
  hosts: (again: boolean) => Promise<MediaConnInfo>,
  agent: Agent | undefined,
): Promise<Uint8Array> {
  const mediaKey = randomBytes(32);
  const keys = (await getMediaKeys(mediaKey, upload.kind)) as Keys;
  const plain = createHash("sha256");
  const encrypted = createHash("sha256");
  let fileLength = 0;
  let encryptedLength = 0;
  // Encrypts twice: first for the hash, which names the file at the host, then to send it.
  for await (const piece of encrypt(upload.path, keys, (read) => {
    plain.update(read);
    fileLength += read.length;
  })) {
    encrypted.update(piece);
    encryptedLength += piece.length;
  }
  const fileEncSha256 = encrypted.digest();
  const place = await firstHost(hosts, (hostname, auth) => {
    const token = encodeBase64EncodedStringForUpload(fileEncSha256.toString("base64"));
    const query = `auth=${encodeURIComponent(auth)}&token=${token}`;
    const url = `https://${hostname}${MEDIA_PATH_MAP[upload.kind]}/${token}?${query}`;
    return post(url, encryptedLength, () => encrypt(upload.path, keys), agent);
  });
  const message = {
    ...place,
    mediaKey,
    fileEncSha256,
    fileSha256: plain.digest(),
    fileLength,
    mediaKeyTimestamp: Math.floor(Date.now() / 1000),
  };
  return proto.Message.encode({ [`${upload.kind}Message`]: message }).finish();
}

/// AES-CBC, followed by a truncated MAC over the initialisation vector and the ciphertext.
async function* encrypt(
  path: string,
  keys: Keys,
  seen: (read: Buffer) => void = () => {},
): AsyncGenerator<Buffer> {
  const cipher = createCipheriv("aes-256-cbc", keys.cipherKey, keys.iv);
  const mac = createHmac("sha256", keys.macKey).update(keys.iv);
  const sealed = (piece: Buffer): Buffer => {
    mac.update(piece);
    return piece;
  };
  for await (const read of createReadStream(path) as AsyncIterable<Buffer>) {
    seen(read);
    const piece = cipher.update(read);
    if (piece.length > 0) {
      yield sealed(piece);
    }
  }
  yield sealed(cipher.final());
  yield mac.digest().subarray(0, MAC_BYTES);
}

interface Place {
  url: string | undefined;
  directPath: string | undefined;
}

/// Tries each host, then asks the platform for new hosts and tries those once.
async function firstHost(
  hosts: (again: boolean) => Promise<MediaConnInfo>,
  put: (hostname: string, auth: string) => Promise<Place>,
): Promise<Place> {
  let failure: unknown = new Error("the platform names no media host");
  for (const again of [false, true]) {
    const { hosts: named, auth } = await hosts(again);
    for (const { hostname } of named) {
      try {
        return await put(hostname, auth);
      } catch (error) {
        failure = error;
      }
    }
  }
  throw failure;
}

async function post(
  url: string,
  length: number,
  body: () => AsyncIterable<Buffer>,
  agent: Agent | undefined,
): Promise<Place> {
  const headers = {
    "Content-Type": "application/octet-stream",
    "Content-Length": length,
    Origin: "https://web.whatsapp.com",
  };
  const asked = request(url, { method: "POST", agent, timeout: STALL_MS, headers });
  asked.on("timeout", () => asked.destroy(new Error("the media host stalled")));
  const answered = new Promise<string>((resolve, reject) => {
    asked.on("error", reject);
    asked.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
        if (text.length > ANSWER_BYTES_MAX) {
          response.destroy(new Error("the media host says too much"));
        }
      });
      response.on("end", () => resolve(text));
      response.on("error", reject);
    });
  });
  const [, text] = await Promise.all([pipeline(Readable.from(body()), asked), answered]);
  const answer = JSON.parse(text) as { url?: string; direct_path?: string };
  if (!answer.url && !answer.direct_path) {
    throw new Error("the media host did not take the file");
  }
  return { url: answer.url, directPath: answer.direct_path };
}
