// How long an audio file plays.
import { open } from "node:fs/promises";
import {
  aacFrame,
  amrFrame,
  amrWideFrame,
  type FrameReader,
  framedSeconds,
  mp3Frame,
  mp3NamedSeconds,
} from "./audio_frames.js";

/// Returns these bytes of a file, or fewer at its end.
export type ReadPart = (from: number, length: number) => Promise<Buffer>;

// An Ogg page has at most 65,307 bytes, so that the last one begins within these.
const WINDOW_BYTES = 65_536;
const HEAD_BYTES = 128;
const BOXES_MAX = 64; // Of one level of an MP4.
const SECONDS_MAX = 86_400;

const OGG = Buffer.from("OggS");
const POSITION_AT = 6; // In a page.
const NO_POSITION = 0xffff_ffff_ffff_ffffn; // No packet ends on the page.
const OPUS_RATE = 48_000; // Whatever was recorded.

/// Whole seconds, rounded; of Ogg, MP4, MP3, AAC and AMR. Undefined: the file does not say, or
/// cannot be read. The length is shown, and not needed.
///
/// Limits: strangers made the file, so this decodes nothing, and reads the heads of at most 128
/// boxes, or the first and the last 64 KiB.
export async function audioSeconds(path: string, bytes: number): Promise<number | undefined> {
  const file = await open(path).catch(() => undefined);
  if (!file) {
    return undefined;
  }
  try {
    return await secondsOf(bytes, async (from, length) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
      return buffer.subarray(0, bytesRead);
    });
  } catch {
    return undefined; // It cannot be read.
  } finally {
    await file.close();
  }
}

/// As audioSeconds, of a file of `bytes`. Errors: those of `part`.
export async function secondsOf(bytes: number, part: ReadPart): Promise<number | undefined> {
  const seconds = await measured(bytes, part, await part(0, HEAD_BYTES));
  if (seconds === undefined || !Number.isFinite(seconds) || seconds <= 0) {
    return undefined;
  }
  return Math.min(SECONDS_MAX, Math.max(1, Math.round(seconds)));
}

async function measured(bytes: number, part: ReadPart, head: Buffer): Promise<number | undefined> {
  const begins = (magic: string, at = 0): boolean => head.indexOf(magic, at, "latin1") === at;
  if (begins("OggS")) {
    return ofOgg(head, await part(Math.max(0, bytes - WINDOW_BYTES), WINDOW_BYTES));
  }
  if (begins("ftyp", 4)) {
    return ofMp4(bytes, part);
  }
  const framed = async (from: number, ...readers: FrameReader[]): Promise<number | undefined> => {
    const data = await part(from, WINDOW_BYTES);
    const found = readers.find((reader) => reader(data, 0));
    return found && framedSeconds(found, data, bytes - from);
  };
  if (begins("#!AMR-WB\n")) {
    return framed(9, amrWideFrame);
  }
  if (begins("#!AMR\n")) {
    return framed(6, amrFrame);
  }
  const from = begins("ID3") ? tagBytes(head) : 0;
  const first = await part(from, HEAD_BYTES * 2);
  return mp3NamedSeconds(first) ?? framed(from, mp3Frame, aacFrame);
}

/// The bytes of the tag that precedes the frames.
function tagBytes(head: Buffer): number {
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((head[at] ?? 0) & 127), 0);
  return 10 + size;
}

/// By the position that the last page names.
function ofOgg(head: Buffer, tail: Buffer): number | undefined {
  const last = tail.lastIndexOf(OGG);
  const rate = oggRate(head);
  if (rate === 0 || last < 0 || last + POSITION_AT + 8 > tail.length) {
    return undefined;
  }
  const position = tail.readBigUInt64LE(last + POSITION_AT);
  return position === NO_POSITION ? undefined : Number(position) / rate;
}

/// Positions per second; 0: unknown.
function oggRate(head: Buffer): number {
  if (head.includes("OpusHead")) {
    return OPUS_RATE;
  }
  const vorbis = head.indexOf("\x01vorbis");
  return vorbis < 0 || vorbis + 16 > head.length ? 0 : head.readUInt32LE(vorbis + 12);
}

async function ofMp4(bytes: number, part: ReadPart): Promise<number | undefined> {
  const movie = await boxOf("moov", 0, bytes, part);
  const header = movie && (await boxOf("mvhd", movie.from, movie.end, part));
  const data = header && (await part(header.from, 32));
  if (!data || data.length < 32) {
    return undefined;
  }
  return data[0] === 1
    ? Number(data.readBigUInt64BE(24)) / data.readUInt32BE(20)
    : data.readUInt32BE(16) / data.readUInt32BE(12);
}

/// Where the content of the first box of this name is, between two positions.
async function boxOf(
  name: string,
  from: number,
  end: number,
  part: ReadPart,
): Promise<{ from: number; end: number } | undefined> {
  for (let at = from, count = 0; at + 8 <= end && count < BOXES_MAX; count++) {
    const head = await part(at, 16);
    if (head.length < 16) {
      return undefined;
    }
    const short = head.readUInt32BE(0);
    const isLong = short === 1;
    const size = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short;
    if (size < (isLong ? 16 : 8)) {
      return undefined;
    }
    if (head.toString("latin1", 4, 8) === name) {
      return { from: at + (isLong ? 16 : 8), end: Math.min(end, at + size) };
    }
    at += size;
  }
  return undefined;
}
