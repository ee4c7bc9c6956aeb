import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { audioSeconds, secondsOf } from "../src/sending/audio_length.js";
import { parts } from "../src/sending/content.js";

const folder = mkdtempSync(join(tmpdir(), "audio-"));
afterAll(() => rmSync(folder, { recursive: true }));

const READS_MAX = 132;
const BYTES_MAX = 3 * 65_536;

/// Fails if too much is read.
async function seconds(data: Buffer): Promise<number | undefined> {
  let reads = 0;
  let bytes = 0;
  const found = await secondsOf(data.length, async (from, length) => {
    reads += 1;
    bytes += length;
    return data.subarray(from, from + length);
  });
  expect(reads).toBeLessThanOrEqual(READS_MAX);
  expect(bytes).toBeLessThanOrEqual(BYTES_MAX);
  return found;
}

function page(position: bigint, body: Buffer): Buffer {
  const head = Buffer.alloc(27);
  head.write("OggS");
  head.writeBigUInt64LE(position, 6);
  return Buffer.concat([head, body]);
}

const opus = (position: bigint): Buffer =>
  Buffer.concat([
    page(0n, Buffer.from("OpusHead\x01\x01\0\0")),
    page(10n, Buffer.alloc(60_000)),
    page(position, Buffer.alloc(50_000, 1)),
  ]);

function vorbis(rate: number, position: bigint): Buffer {
  const head = Buffer.from("\x01vorbis\0\0\0\0\x02\0\0\0\0");
  head.writeUInt32LE(rate, 12);
  return Buffer.concat([page(0n, head), page(position, Buffer.alloc(99))]);
}

/// Frames of 128 kbit/s and 44,100 Hz, of 417 bytes each; `named` frames in a first one.
function mp3(frames: number, named?: number): Buffer {
  const frame = Buffer.alloc(417, 7);
  frame.set([0xff, 0xfb, 0x90, 0x44]);
  const first = Buffer.from(frame);
  if (named !== undefined) {
    first.write("Xing\0\0\0\x01", 36, "latin1");
    first.writeUInt32BE(named, 44);
  }
  return Buffer.concat([first, ...Array.from({ length: frames - 1 }, () => frame)]);
}

/// The tag that players show, with a picture.
function tagged(audio: Buffer): Buffer {
  const tag = Buffer.alloc(10 + 40_000);
  tag.set([0x49, 0x44, 0x33, 4, 0, 0, 0, 2, 56, 64]); // 40,000 in digits of 7 bits.
  return Buffer.concat([tag, audio]);
}

/// Frames of 16,000 Hz; `bytes` of the n-th.
function aac(frames: number, bytes: (index: number) => number): Buffer {
  return Buffer.concat(
    Array.from({ length: frames }, (_, index) => {
      const size = bytes(index);
      const frame = Buffer.alloc(size);
      const head = [0xff, 0xf1, 0x60, 0x40 | (size >> 11), (size >> 3) & 255, (size & 7) << 5, 0];
      frame.set(head);
      return frame;
    }),
  );
}

const amr = (frames: number): Buffer =>
  Buffer.concat([Buffer.from("#!AMR\n"), Buffer.alloc(32 * frames, 0x3c)]);

function box(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length);
  head.write(name, 4);
  return Buffer.concat([head, content]);
}

function movieHeader(scale: number, duration: number, version = 0): Buffer {
  const data = Buffer.alloc(100);
  data[0] = version;
  data.writeUInt32BE(scale, version === 1 ? 20 : 12);
  data.writeUInt32BE(duration, version === 1 ? 28 : 16);
  return box("mvhd", data);
}

const type = box("ftyp", Buffer.from("M4A \0\0\0\0"));
const m4a = (header: Buffer, ahead = box("mdat", Buffer.alloc(90_000))): Buffer =>
  Buffer.concat([type, ahead, box("moov", Buffer.concat([box("udta", Buffer.alloc(9)), header]))]);

const samples: [string, Buffer, number][] = [
  ["Opus", opus(48_000n * 61n), 61],
  ["Vorbis", vorbis(44_100, 44_100n * 7n), 7],
  ["MP3 of one rate", mp3(1_000), 26],
  ["MP3 that names its frames", mp3(200, 3_828), 100],
  ["MP3 with a tag", tagged(mp3(1_000)), 26],
  ["AAC", aac(2_000, (index) => 100 + (index % 3) * 20), 128],
  ["AMR", amr(3_000), 60],
  ["M4A", m4a(movieHeader(1_000, 95_400)), 95],
  ["M4A with long times", m4a(movieHeader(44_100, 44_100 * 12, 1)), 12],
];

test.each(samples)("%s tells how long it plays", async (_name, data, expected) => {
  expect(await seconds(data)).toBe(expected);
});

describe("a file that does not say has no length", () => {
  test.each<[string, Buffer]>([
    ["empty", Buffer.alloc(0)],
    ["a cut page", Buffer.from("OggSOpusHeadOggS")],
    ["no position", opus(0xffff_ffff_ffff_ffffn)],
    ["no rate", vorbis(0, 7n)],
    ["no Opus or Vorbis", page(48_000n * 9n, Buffer.alloc(9))],
    ["no movie", Buffer.concat([type, box("mdat", Buffer.alloc(99))])],
    ["no scale", m4a(movieHeader(0, 9))],
    ["many boxes", m4a(movieHeader(1, 9), Buffer.concat(Array(999).fill(box("free", type))))],
    ["a box without a size", Buffer.concat([type, Buffer.from("\0\0\0\x02free0123456789")])],
    ["a box beyond the file", Buffer.concat([type, Buffer.from("\xff\xff\xff\xffmoov", "latin1")])],
    ["a tag beyond the file", tagged(mp3(9)).subarray(0, 999)],
    ["random bytes", Buffer.from("no audio at all, whatever its name says")],
  ])("%s", async (_name, data) => {
    expect(await seconds(data)).toBeUndefined();
  });
});

test("no length is longer than a day", async () => {
  expect(await seconds(opus(0xffff_ffff_ffff_fff0n))).toBe(86_400);
  expect(await seconds(mp3(9, 0xffff_ffff))).toBe(86_400);
});

/// Repeatable.
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test.each(samples)("damaged %s costs no more than another", async (_name, data) => {
  const random = chance(data.length);
  for (let round = 0; round < 300; round++) {
    const damaged = Buffer.from(data.subarray(0, Math.ceil(random() * data.length)));
    for (let count = Math.ceil(random() * 8); count > 0; count--) {
      const near = random() < 0.5 ? Math.min(200, damaged.length) : damaged.length;
      damaged[Math.floor(random() * near)] = Math.floor(random() * 256);
    }
    const found = await seconds(damaged);
    expect(found === undefined || (Number.isInteger(found) && found >= 1)).toBe(true);
  }
});

test("a file is read, and one that is missing has no length", async () => {
  const path = join(folder, "audio");
  writeFileSync(path, amr(500));
  expect(await audioSeconds(path, 16_006)).toBe(10);
  expect(await audioSeconds(join(folder, "missing"), 9)).toBeUndefined();
});

test.each([
  ["audio/ogg; codecs=opus", 26],
  ["audio/mpeg", 26],
])("%s leaves with its length", async (mime, expected) => {
  const path = join(folder, "sent");
  const data = mp3(1_000);
  writeFileSync(path, data);
  const media = { path, mime, bytes: data.length, sha256: "00" };
  const [part] = await parts({ message: "a", to: "628", text: "", typing: false, media });
  expect(part!.content).toMatchObject({ seconds: expected });
});
