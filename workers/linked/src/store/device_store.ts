// The durable values of one device, which the gateway keeps: cached here, written in batches.
import { ProtocolError } from "../protocol/errors.js";
import type { StoredValues, ValueStore } from "../protocol/gateway.js";
import { Bucket, bucketOf, bytesMaxOf, isNeeded, type Kind } from "./buckets.js";

/// A change of one key; null removes it.
export interface Change {
  kind: Kind;
  id: string;
  text: string | null;
}

const FOR_GOOD = ["refused", "too_large"];
const NAMES_A_REQUEST = 128;
const CACHE_BYTES_MAX = 2 * 1024 * 1024;
// Its Base64, with the names, fits one line of the protocol.
const PUT_BYTES_MAX = 700_000;

/// The values of one device.
///
/// Operation: `write` resolves when its changes are durable. Changes made while a put is in flight,
/// or in the same turn of the event loop, form the next put, in their order. A frame to the
/// platform must wait for `pending`. A failed write ends the store, because memory is then ahead of
/// the stored values: the store calls `failed` and refuses all further calls, and its owner makes
/// another DeviceStore. Of a put that the gateway refuses for good, a value on which no message
/// depends is dropped instead, and passed to `damaged`. A stored bucket that cannot be decoded is
/// passed to `damaged` and counts as empty: the platform and the contacts supply most of its keys
/// again. If the gateway has no such device, `removed` decides: the call has failed if it rejects.
/// If it resolves, nothing of the device is needed any more: there are no values, and a put counts
/// as durable.
///
/// Limits: a cache of 2 MiB, except while a write is not durable yet; the least recently used
/// values are dropped, and read again when needed.
export class DeviceStore {
  private readonly buckets = new Map<string, Bucket>(); // The most recently used are last.
  private bytes = 0; // Of `buckets`.
  private readonly loads = new Map<string, Promise<Bucket>>();
  private readonly arrivals = new Map<
    string,
    { resolve: (bucket: Bucket) => void; reject: (error: Error) => void }
  >();
  private wanted: string[] = [];
  private dirty = new Map<string, Bucket | Buffer | null>();
  private waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];
  private order: Promise<void> = Promise.resolve();
  private last: Promise<void> = Promise.resolve();
  private outstanding = 0;
  private flushing = false;
  private closed = false;
  private error: Error | undefined;

  constructor(
    private readonly values: ValueStore,
    readonly device: string,
    private readonly failed: (error: Error) => void = () => {},
    readonly damaged: (name: string) => void = () => {},
    private readonly removed: (error: Error) => Promise<void> = (error) => Promise.reject(error),
  ) {}

  async read(kind: Kind, ids: readonly string[]): Promise<Map<string, string>> {
    this.check();
    const found = new Map<string, string>();
    const loading = ids.map((id) => this.bucket(bucketOf(kind, id)));
    const buckets = await Promise.all(loading);
    ids.forEach((id, index) => {
      const text = buckets[index]!.get(id);
      if (text !== undefined) {
        found.set(id, text);
      }
    });
    this.trim();
    return found;
  }

  /// Reads a value outside the buckets.
  async readValue(name: string): Promise<Buffer | undefined> {
    const values = await this.get([name]);
    return decoded(values[name]);
  }

  write(changes: readonly Change[]): Promise<void> {
    return this.enqueue(async () => {
      const names = changes.map((change) => bucketOf(change.kind, change.id));
      const buckets = await Promise.all(names.map((name) => this.bucket(name)));
      changes.forEach((change, index) => {
        const bucket = buckets[index]!;
        const before = bucket.bytes;
        bucket.set(change.id, change.text, bytesMaxOf(change.kind));
        this.bytes += bucket.bytes - before;
        this.dirty.set(names[index]!, bucket);
      });
    });
  }

  writeValue(name: string, bytes: Buffer | null): Promise<void> {
    return this.enqueue(() => {
      this.dirty.set(name, bytes);
    });
  }

  /// Resolves when all earlier writes are durable. Undefined: they are already.
  pending(): Promise<void> | undefined {
    return this.outstanding > 0 ? this.last : undefined;
  }

  /// Refuses further writes, so that this store cannot overwrite values of the device's next store.
  /// Resolves when all earlier writes are durable or have failed.
  async close(): Promise<void> {
    this.closed = true;
    await this.pending()?.catch(() => {});
  }

  private enqueue(apply: () => Promise<void> | void): Promise<void> {
    if (this.closed) {
      return Promise.reject(new Error("the connection is closed"));
    }
    const durable = new Promise<void>((resolve, reject) => {
      this.order = this.order.then(async () => {
        try {
          this.check();
          await apply();
          this.waiters.push({ resolve, reject });
          this.schedule();
        } catch (error) {
          reject(error as Error);
          this.end(error as Error);
        }
      });
    });
    this.outstanding++;
    const settled = (): void => {
      this.outstanding--;
      this.trim();
    };
    durable.then(settled, settled);
    this.last = durable;
    return durable;
  }

  private schedule(): void {
    if (!this.flushing) {
      this.flushing = true;
      setImmediate(() => void this.flush());
    }
  }

  private async flush(): Promise<void> {
    while (this.waiters.length > 0 && !this.error) {
      const waiters = this.waiters;
      const dirty = this.dirty;
      this.waiters = [];
      this.dirty = new Map();
      try {
        for (const values of putsOf(dirty)) {
          await this.put(values);
        }
        waiters.forEach((waiter) => waiter.resolve());
      } catch (error) {
        waiters.forEach((waiter) => waiter.reject(error as Error));
        this.end(error as Error);
      }
    }
    this.flushing = false;
  }

  private async put(values: StoredValues): Promise<void> {
    try {
      await this.values.put(this.device, values);
    } catch (error) {
      if (isRemoved(error)) {
        return this.removed(error);
      }
      const forGood = error instanceof ProtocolError && FOR_GOOD.includes(error.kind);
      const names = Object.keys(values);
      if (!forGood || names.every(isNeeded)) {
        throw error;
      }
      if (names.length > 1) {
        for (const name of names) {
          await this.put({ [name]: values[name]! });
        }
        return;
      }
      this.drop(names[0]!);
    }
  }

  private drop(name: string): void {
    this.bytes -= this.buckets.get(name)?.bytes ?? 0;
    this.buckets.delete(name);
    this.damaged(name);
  }

  private end(error: Error): void {
    if (this.error) {
      return;
    }
    this.error = error;
    this.waiters.forEach((waiter) => waiter.reject(error));
    this.waiters = [];
    this.failed(error);
  }

  private check(): void {
    if (this.error) {
      throw this.error;
    }
  }

  private bucket(name: string): Promise<Bucket> | Bucket {
    const known = this.buckets.get(name);
    if (known) {
      this.buckets.delete(name);
      this.buckets.set(name, known);
      return known;
    }
    const loading = this.loads.get(name);
    if (loading) {
      return loading;
    }
    if (this.wanted.length === 0) {
      queueMicrotask(() => this.loadWanted());
    }
    this.wanted.push(name);
    const load = new Promise<Bucket>((resolve, reject) => {
      this.arrivals.set(name, { resolve, reject });
    });
    this.loads.set(name, load);
    return load;
  }

  private loadWanted(): void {
    const names = this.wanted;
    this.wanted = [];
    for (let begin = 0; begin < names.length; begin += NAMES_A_REQUEST) {
      void this.load(names.slice(begin, begin + NAMES_A_REQUEST));
    }
  }

  private async get(names: string[]): Promise<StoredValues> {
    try {
      return await this.values.get(this.device, names);
    } catch (error) {
      if (!isRemoved(error)) {
        throw error;
      }
      await this.removed(error);
      return {};
    }
  }

  /// Asks for fewer values at once if the answer does not fit one line.
  private async load(names: string[]): Promise<void> {
    try {
      const values = await this.get(names);
      names.forEach((name) => this.arrived(name, this.decodedBucket(name, values[name])));
    } catch (error) {
      if (error instanceof ProtocolError && error.kind === "too_large" && names.length > 1) {
        const half = Math.ceil(names.length / 2);
        await Promise.all([this.load(names.slice(0, half)), this.load(names.slice(half))]);
        return;
      }
      for (const name of names) {
        this.loads.delete(name);
        this.arrivals.get(name)?.reject(error as Error);
        this.arrivals.delete(name);
      }
    }
  }

  private decodedBucket(name: string, base64: string | null | undefined): Bucket {
    try {
      return Bucket.decode(decoded(base64));
    } catch {
      this.damaged(name);
      return Bucket.decode(undefined);
    }
  }

  private arrived(name: string, bucket: Bucket): void {
    this.buckets.set(name, bucket);
    this.bytes += bucket.bytes;
    this.loads.delete(name);
    this.arrivals.get(name)?.resolve(bucket);
    this.arrivals.delete(name);
  }

  /// Keeps all buckets while a write is under way, because it may change them.
  private trim(): void {
    if (this.bytes <= CACHE_BYTES_MAX || this.outstanding > 0) {
      return;
    }
    for (const [name, bucket] of this.buckets) {
      this.buckets.delete(name);
      this.bytes -= bucket.bytes;
      if (this.bytes <= CACHE_BYTES_MAX / 2) {
        return;
      }
    }
  }
}

function isRemoved(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && error.kind === "not_found";
}

function decoded(base64: string | null | undefined): Buffer | undefined {
  return typeof base64 === "string" ? Buffer.from(base64, "base64") : undefined;
}

/// Splits one batch into as few puts as possible.
function* putsOf(dirty: Map<string, Bucket | Buffer | null>): Generator<StoredValues> {
  let values: StoredValues = {};
  let bytes = 0;
  for (const [name, kept] of dirty) {
    const encoded = kept instanceof Bucket ? kept.encode() : kept;
    const size = encoded?.length ?? 0;
    const isFull = Object.keys(values).length >= NAMES_A_REQUEST;
    if (bytes > 0 && (isFull || bytes + size > PUT_BYTES_MAX)) {
      yield values;
      values = {};
      bytes = 0;
    }
    values[name] = encoded ? encoded.toString("base64") : null;
    bytes += size + name.length + 8;
  }
  yield values;
}
