// The layout of a device's many small keys in the fewer values that the gateway keeps.
//
// An account with ten thousand contacts has some fifty thousand keys. The gateway keeps at most
// 20,000 values a device, so keys are put into buckets: a fixed number for each kind, by a hash of
// the key's id. A bucket that grows too large drops its least recently written entries. Dropped
// entries can be fetched again from the platform or from the contact.

/// Names of the values outside the buckets: the credentials, and what is present if the platform
/// has logged the device out.
export const CREDENTIALS = "c";
export const VOID = "void";

/// The kinds of Baileys' key store, and the worker's own.
export type Kind =
  | "pre-key"
  | "session"
  | "sender-key"
  | "sender-key-memory"
  | "app-state-sync-key"
  | "lid-mapping"
  | "device-list"
  | "tctoken"
  | "identity-key"
  | "wrote"
  | "sent";

interface Layout {
  prefix: string;
  buckets: number;
  bytesMax: number; // 0: nothing is ever dropped.
}

const KIB = 1024;

const LAYOUT: Record<Kind, Layout> = {
  "pre-key": { prefix: "p", buckets: 0, bytesMax: 0 }, // By 64 consecutive ids: see bucketOf.
  session: { prefix: "s", buckets: 4096, bytesMax: 128 * KIB },
  "identity-key": { prefix: "i", buckets: 1024, bytesMax: 64 * KIB },
  "lid-mapping": { prefix: "l", buckets: 1024, bytesMax: 64 * KIB },
  "device-list": { prefix: "d", buckets: 1024, bytesMax: 64 * KIB },
  tctoken: { prefix: "t", buckets: 1024, bytesMax: 64 * KIB },
  "sender-key": { prefix: "g", buckets: 256, bytesMax: 128 * KIB },
  "sender-key-memory": { prefix: "h", buckets: 256, bytesMax: 64 * KIB },
  "app-state-sync-key": { prefix: "a", buckets: 16, bytesMax: 16 * KIB },
  wrote: { prefix: "w", buckets: 256, bytesMax: 16 * KIB },
  sent: { prefix: "o", buckets: 64, bytesMax: 16 * KIB },
};

const NEEDED: Kind[] = ["pre-key", "session", "sender-key", "identity-key"];

const PRE_KEYS_A_BUCKET = 64;

/// The name of the value that holds this key.
export function bucketOf(kind: Kind, id: string): string {
  const { prefix, buckets } = LAYOUT[kind];
  const number =
    kind === "pre-key" ? Math.floor(Number(id) / PRE_KEYS_A_BUCKET) : hash(id) % buckets;
  return `${prefix}${number.toString(36)}`;
}

/// The kind of keys in a value of this name. Undefined: it holds no keys.
export function kindOfBucket(name: string): Kind | undefined {
  const kinds = Object.keys(LAYOUT) as Kind[];
  return /^[a-z][0-9a-z]{1,7}$/.test(name) && name !== VOID
    ? kinds.find((kind) => LAYOUT[kind].prefix === name[0])
    : undefined;
}

/// Whether messages can be lost or read twice without the latest of these keys. Of all others a
/// value that the gateway refuses may be missing.
export function isNeeded(name: string): boolean {
  const kind = kindOfBucket(name);
  return kind === undefined || NEEDED.includes(kind);
}

export function bytesMaxOf(kind: Kind): number {
  return LAYOUT[kind].bytesMax;
}

/// FNV-1a. Stored names depend on it, so it must never change.
function hash(id: string): number {
  let sum = 0x811c9dc5;
  for (const byte of Buffer.from(id)) {
    sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  }
  return sum;
}

/// One stored value: the texts of its keys, in the order of their last writes.
export class Bucket {
  bytes = 0;

  private constructor(private readonly entries: Map<string, string>) {
    for (const [id, text] of entries) {
      this.bytes += id.length + text.length;
    }
  }

  /// Throws if `encode` did not make the bytes.
  static decode(bytes: Buffer | undefined): Bucket {
    const entries = bytes ? (JSON.parse(bytes.toString()) as [string, string][]) : [];
    if (entries.some(([id, text]) => typeof id !== "string" || typeof text !== "string")) {
      throw new Error("a bucket's entry is not a pair of texts");
    }
    return new Bucket(new Map(entries));
  }

  /// Undefined: the bucket is empty.
  encode(): Buffer | undefined {
    return this.entries.size > 0 ? Buffer.from(JSON.stringify([...this.entries])) : undefined;
  }

  all(): IterableIterator<[string, string]> {
    return this.entries.entries();
  }

  get(id: string): string | undefined {
    return this.entries.get(id);
  }

  set(id: string, text: string | null, bytesMax = 0): void {
    const before = this.entries.get(id);
    if (before !== undefined) {
      this.bytes -= id.length + before.length;
      this.entries.delete(id);
    }
    if (text === null) {
      return;
    }
    this.entries.set(id, text);
    this.bytes += id.length + text.length;
    for (const [oldest, old] of this.entries) {
      if (bytesMax === 0 || this.bytes <= bytesMax || oldest === id) {
        return;
      }
      this.entries.delete(oldest);
      this.bytes -= oldest.length + old.length;
    }
  }
}
