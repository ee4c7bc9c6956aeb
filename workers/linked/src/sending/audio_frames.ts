// Audio that is a series of frames with headers of their own: MP3, AAC (ADTS) and AMR.

export interface Frame {
  bytes: number;
  seconds: number;
}

/// Reads the head of the frame at `at`. Undefined: there is none.
export type FrameReader = (data: Buffer, at: number) => Frame | undefined;

/// How long a file of `bytes` plays whose frames begin in `data`. It is measured on the frames of
/// `data`, and estimated for the rest. Undefined: `data` begins with no frames.
export function framedSeconds(read: FrameReader, data: Buffer, bytes: number): number | undefined {
  let at = 0;
  let seconds = 0;
  for (let frame = read(data, 0); frame && frame.bytes > 0; frame = read(data, at)) {
    at += frame.bytes;
    seconds += frame.seconds;
  }
  return at > 0 ? (seconds * Math.max(bytes, at)) / at : undefined;
}

const MP3_KBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MP3_KBITS_LOW = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const MP3_RATES = [44_100, 48_000, 32_000];
const MP3_VERSION_1 = 3;
const MP3_VERSION_2 = 2;
const LAYER_3 = 1;

/// A frame of MPEG audio, layer 3.
export const mp3Frame: FrameReader = (data, at) => {
  if (at + 4 > data.length || data.readUInt16BE(at) < 0xffe0) {
    return undefined;
  }
  const [version, layer] = [(data[at + 1]! >> 3) & 3, (data[at + 1]! >> 1) & 3];
  const isFirst = version === MP3_VERSION_1;
  const kbits = (isFirst ? MP3_KBITS : MP3_KBITS_LOW)[data[at + 2]! >> 4];
  const base = MP3_RATES[(data[at + 2]! >> 2) & 3];
  if (version === 1 || layer !== LAYER_3 || !kbits || !base) {
    return undefined;
  }
  const rate = base / (isFirst ? 1 : version === MP3_VERSION_2 ? 2 : 4);
  const samples = isFirst ? 1_152 : 576;
  const padding = (data[at + 2]! >> 1) & 1;
  return {
    bytes: Math.floor((samples * kbits * 125) / rate) + padding,
    seconds: samples / rate,
  };
};

/// How long an MP3 plays, by the number of frames that its first one names. Undefined: it names
/// none.
export function mp3NamedSeconds(data: Buffer): number | undefined {
  const first = mp3Frame(data, 0);
  const head = data.subarray(0, Math.min(first?.bytes ?? 0, 256));
  const tag = Math.max(head.indexOf("Xing"), head.indexOf("Info"));
  if (!first || tag < 0 || tag + 12 > head.length || (head[tag + 7]! & 1) === 0) {
    return undefined;
  }
  return head.readUInt32BE(tag + 8) * first.seconds;
}

const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
  7_350,
];

export const aacFrame: FrameReader = (data, at) => {
  if (at + 7 > data.length || (data.readUInt16BE(at) & 0xfff6) !== 0xfff0) {
    return undefined;
  }
  const rate = AAC_RATES[(data[at + 2]! >> 2) & 15];
  const bytes = ((data[at + 3]! & 3) << 11) | (data[at + 4]! << 3) | (data[at + 5]! >> 5);
  const blocks = (data[at + 6]! & 3) + 1;
  return rate && bytes >= 7 ? { bytes, seconds: (blocks * 1_024) / rate } : undefined;
};

const AMR_SECONDS = 0.02;
const AMR_BYTES = [13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1];
const AMR_WIDE_BYTES = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 0, 0, 0, 0, 1, 1];

function amr(sizes: readonly number[]): FrameReader {
  return (data, at) => {
    const bytes = at < data.length ? sizes[(data[at]! >> 3) & 15] : undefined;
    return bytes ? { bytes, seconds: AMR_SECONDS } : undefined;
  };
}

export const amrFrame = amr(AMR_BYTES);
export const amrWideFrame = amr(AMR_WIDE_BYTES);
