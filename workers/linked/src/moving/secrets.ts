// A device's identity and keys as the gateway keeps them for the worker, by the names of store/.
import { Bucket, bucketOf, bytesMaxOf, CREDENTIALS, kindOfBucket } from "../store/buckets.js";
import { Unusable } from "./checks.js";
import type { MovedKind } from "./keys.js";

export interface Secret {
  name: string;
  value: string; // Base64.
}

export interface Key {
  kind: MovedKind;
  id: string;
  text: string;
}

/// Limit of one value in the connector protocol.
const VALUE_BYTES_MAX = 524_288;
/// Limit of one import's body, as Base64.
const ALL_BYTES_MAX = 45 * 1024 * 1024;
const VALUES_MAX = 20_000;

/// Operation: add keys, the least recently written first, and then call `secrets`. If a kind has
/// too many keys, the least recently written are dropped, as in the running worker.
export class SecretsMaker {
  private readonly buckets = new Map<string, Bucket>();

  add({ kind, id, text }: Key): void {
    const name = bucketOf(kind, id);
    const bucket = this.buckets.get(name) ?? Bucket.decode(undefined);
    this.buckets.set(name, bucket);
    bucket.set(id, text, bytesMaxOf(kind));
  }

  /// Errors: Unusable (more than the gateway keeps).
  secrets(identity: string): Secret[] {
    const secrets = [secret(CREDENTIALS, Buffer.from(identity))];
    for (const [name, bucket] of this.buckets) {
      const encoded = bucket.encode();
      if (encoded) {
        secrets.push(secret(name, encoded));
      }
    }
    const bytes = secrets.reduce((sum, { value }) => sum + (value.length * 3) / 4, 0);
    if (secrets.length > VALUES_MAX || bytes > ALL_BYTES_MAX) {
      throw new Unusable(
        "the folder holds more than the gateway keeps for one device: remove the " +
          "sender-key-*.json files, which only groups need",
      );
    }
    return secrets;
  }
}

function secret(name: string, bytes: Buffer): Secret {
  if (bytes.length > VALUE_BYTES_MAX) {
    throw new Unusable("the folder holds more of one kind than the gateway keeps");
  }
  return { name, value: bytes.toString("base64") };
}

/// A secret's content: the identity or keys. Values that only this worker uses yield nothing.
export function readSecret({ name, value }: Secret): { identity?: string; keys: Key[] } {
  const bytes = Buffer.from(value, "base64");
  if (name === CREDENTIALS) {
    return { identity: bytes.toString(), keys: [] };
  }
  const kind = kindOfBucket(name);
  if (!kind || kind === "sent" || kind === "wrote") {
    return { keys: [] };
  }
  const keys = [...Bucket.decode(bytes).all()].map(([id, text]) => ({ kind, id, text }));
  return { keys };
}
