// Downloads the media of a received message from the platform's media host into a file.
import { createDecipheriv, createHash, createHmac, timingSafeEqual } from "node:crypto";
import { open } from "node:fs/promises";
import { type Agent, get } from "node:https";
import type { IncomingMessage } from "node:http";
import { getMediaKeys } from "baileys";
import { ProtocolError } from "../protocol/errors.js";
import { details } from "../texts.js";
import type { MediaReference } from "./media_reference.js";

export interface MediaHosts {
  agent: Agent | undefined;
  /// True for a stand-in platform. For the platform itself only hosts of its domain are used,
  /// because a stranger's message names the host.
  anyHost: boolean;
}

/// Media of a message, or a part of the phone's history.
export interface Downloaded extends Omit<MediaReference, "kind"> {
  kind: MediaReference["kind"] | "md-msg-hist";
}

const HOST = "mmg.whatsapp.net";
const MAC_BYTES = 10;
const STALL_MS = 20_000;

/// Writes the file and returns its size. `within` aborts the download. Errors: not_found,
/// media_too_large, unavailable.
export async function fetchMedia(
  reference: MediaReference,
  path: string,
  bytesMax: number,
  hosts: MediaHosts,
  within: AbortSignal,
): Promise<number> {
  if (reference.bytes > bytesMax) {
    throw new ProtocolError("media_too_large", details.mediaTooLarge);
  }
  // It exists and is empty. One that the gateway removed meanwhile is not made again.
  const file = await open(path, "r+");
  try {
    return await download(reference, bytesMax, hosts, within, async (plain) => {
      await file.appendFile(plain); // Unlike `write`, it writes all bytes or fails.
    });
  } finally {
    await file.close();
  }
}

/// Returns the file. Errors: as fetchMedia.
export async function mediaBytes(
  reference: Downloaded,
  bytesMax: number,
  hosts: MediaHosts,
  within: AbortSignal,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  await download(reference, bytesMax, hosts, within, async (plain) => void pieces.push(plain));
  return Buffer.concat(pieces);
}

async function download(
  reference: Downloaded,
  bytesMax: number,
  hosts: MediaHosts,
  within: AbortSignal,
  take: (plain: Buffer) => Promise<void>,
): Promise<number> {
  const keys = await getMediaKeys(Buffer.from(reference.key, "base64"), reference.kind);
  const response = await request(reference, hosts, within);
  try {
    return await decrypt(response, keys, reference, bytesMax, take);
  } finally {
    response.destroy();
  }
}

async function decrypt(
  response: AsyncIterable<Buffer>,
  { iv, cipherKey, macKey }: Awaited<ReturnType<typeof getMediaKeys>>,
  reference: Downloaded,
  bytesMax: number,
  take: (plain: Buffer) => Promise<void>,
): Promise<number> {
  const decipher = createDecipheriv("aes-256-cbc", cipherKey, iv);
  const mac = createHmac("sha256", macKey!).update(iv);
  const sum = createHash("sha256");
  let bytes = 0;
  const keep = async (plain: Buffer): Promise<void> => {
    bytes += plain.length;
    if (bytes > bytesMax) {
      throw new ProtocolError("media_too_large", details.mediaTooLarge);
    }
    sum.update(plain);
    await take(plain);
  };
  try {
    let tail: Buffer = Buffer.alloc(0);
    for await (const chunk of response) {
      const all = Buffer.concat([tail, chunk]);
      const body = all.subarray(0, Math.max(0, all.length - MAC_BYTES));
      tail = all.subarray(body.length);
      mac.update(body);
      await keep(decipher.update(body));
    }
    const right = mac.digest().subarray(0, MAC_BYTES);
    if (tail.length !== MAC_BYTES || !timingSafeEqual(tail, right)) {
      throw new ProtocolError("not_found", details.mediaDamaged);
    }
    await keep(decipher.final());
    if (reference.sha256 && sum.digest("base64") !== reference.sha256) {
      throw new ProtocolError("not_found", details.mediaDamaged);
    }
    return bytes;
  } catch (error) {
    throw error instanceof ProtocolError ? error : unavailable().because(error);
  }
}

function request(
  reference: Downloaded,
  hosts: MediaHosts,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const host = allowedHost(reference.host, hosts.anyHost);
  return new Promise((resolve, reject) => {
    const asked = get(
      `https://${host}${reference.path.startsWith("/") ? "" : "/"}${reference.path}`,
      {
        agent: hosts.agent,
        timeout: STALL_MS,
        signal,
        headers: { Origin: "https://web.whatsapp.com" },
      },
      (response) => {
        const status = response.statusCode ?? 0;
        if (status === 200) {
          resolve(response);
          return;
        }
        response.destroy();
        const gone = status === 403 || status === 404 || status === 410;
        reject(
          gone
            ? new ProtocolError("not_found", details.mediaGone, String(status))
            : unavailable(String(status)),
        );
      },
    );
    asked.on("timeout", () => asked.destroy(new Error("stalled")));
    asked.on("error", (error) => reject(unavailable().because(error)));
  });
}

export function allowedHost(host: string | undefined, anyHost: boolean): string {
  return host && (anyHost || /^[a-z0-9.-]+\.whatsapp\.net$/.test(host)) ? host : HOST;
}

function unavailable(code?: string): ProtocolError {
  return new ProtocolError("unavailable", details.mediaUnreachable, code);
}
