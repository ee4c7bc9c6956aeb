// Converts a message of the gateway into messages of the platform.
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import type { AnyMessageContent } from "baileys";
import { audioSeconds } from "./audio_length.js";
import type { Upload } from "./upload.js";

export interface MediaFile {
  path: string;
  mime: string;
  bytes: number;
  sha256: string;
  name?: string;
}

export interface Outgoing {
  message: string;
  to: string;
  text: string;
  typing: boolean;
  media?: MediaFile;
}

/// One message of the platform. Its id is the same on every attempt.
export interface Part {
  id: string;
  /// The gateway's message, if this part's arrival counts as the message's arrival.
  message?: string;
  content: AnyMessageContent;
  /// The file that has to be uploaded first.
  upload?: Upload;
}

const IMAGE_BYTES_MAX = 16 * 1024 * 1024;
const AUDIO_BYTES_MAX = 16 * 1024 * 1024;
const VIDEO_BYTES_MAX = 64 * 1024 * 1024;
const STICKER_BYTES_MAX = 1024 * 1024;
const BARS = 64;

type MediaKind = "image" | "video" | "audio" | "voice" | "sticker" | "document";

/// The platform's id of a message: the same on every attempt, so that the recipient sees one.
/// `role` tells the parts of one message apart.
export function platformId(message: string, role = ""): string {
  const head = digest(`${message}/${role}`).slice(0, 14);
  return `3EB0${head}${digest(`merpati/${head}`).slice(0, 4)}`;
}

/// Whether `platformId` made this id: the platform also speaks of messages that the phone sent.
export function isOurs(id: string): boolean {
  const head = id.slice(4, 18);
  return (
    id.length === 22 && id.startsWith("3EB0") && id.endsWith(digest(`merpati/${head}`).slice(0, 4))
  );
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").toUpperCase();
}

/// How the recipient's app shows a file. Types without a form of their own are documents.
export function mediaKind(media: Pick<MediaFile, "mime" | "bytes">): MediaKind {
  const [type = ""] = media.mime.toLowerCase().split(";");
  switch (type.trim()) {
    case "image/jpeg":
    case "image/jpg":
    case "image/png":
      return media.bytes <= IMAGE_BYTES_MAX ? "image" : "document";
    case "image/webp":
      return media.bytes <= STICKER_BYTES_MAX ? "sticker" : "document";
    case "video/mp4":
    case "video/3gpp":
      return media.bytes <= VIDEO_BYTES_MAX ? "video" : "document";
    case "audio/ogg":
      return media.bytes <= AUDIO_BYTES_MAX ? "voice" : "document";
    case "audio/mpeg":
    case "audio/mp4":
    case "audio/aac":
    case "audio/amr":
      return media.bytes <= AUDIO_BYTES_MAX ? "audio" : "document";
    default:
      return "document";
  }
}

/// The last part is the message itself. Voice notes, audio files and stickers have no caption on
/// this platform, so their text precedes them as a separate message.
export async function parts(outgoing: Outgoing): Promise<Part[]> {
  const { message, text, media } = outgoing;
  const id = platformId(message);
  if (!media) {
    return [{ id, message, content: textContent(text) }];
  }
  const kind = mediaKind(media);
  const captioned = kind === "image" || kind === "video" || kind === "document";
  // The fragment names the content: see uploadCache in upload.ts.
  const url = pathToFileURL(media.path);
  url.hash = media.sha256;
  const content = await mediaContent(kind, url, media, captioned ? text : "");
  const upload: Upload = { kind: kind === "voice" ? "audio" : kind, path: media.path, url };
  const main: Part = { id, message, content, upload };
  if (captioned || text === "") {
    return [main];
  }
  return [{ id: platformId(message, "text"), content: textContent(text) }, main];
}

/// Without a link preview, for which Baileys would fetch URLs in the text.
function textContent(text: string): AnyMessageContent {
  return { text, linkPreview: null };
}

async function mediaContent(
  kind: MediaKind,
  url: URL,
  media: MediaFile,
  caption: string,
): Promise<AnyMessageContent> {
  const file = { url };
  const mimetype = media.mime;
  const captioned = caption === "" ? {} : { caption };
  // No thumbnail: making one would mean decoding untrusted files.
  const bare = { jpegThumbnail: null as unknown as string };
  switch (kind) {
    case "image":
      return {
        image: file,
        mimetype: mimetype.replace("image/jpg", "image/jpeg"),
        ...captioned,
        ...bare,
      };
    case "video":
      return { video: file, mimetype, ...captioned, ...bare };
    case "voice":
      return {
        audio: file,
        mimetype: "audio/ogg; codecs=opus",
        ptt: true,
        seconds: (await audioSeconds(media.path, media.bytes)) ?? 1,
        waveform: new Uint8Array(BARS).fill(32),
      } as AnyMessageContent;
    case "audio":
      // Without a length phones show it when they play the file. Baileys would parse the whole file
      // to find it, in the process that serves everybody.
      return {
        audio: file,
        mimetype,
        seconds: (await audioSeconds(media.path, media.bytes)) ?? 0,
      };
    case "sticker":
      return { sticker: file, mimetype };
    case "document":
      return { document: file, mimetype, fileName: media.name ?? "file", ...captioned };
  }
}
