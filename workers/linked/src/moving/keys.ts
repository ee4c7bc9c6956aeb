// The keys beside the identity: the file name and the allowed content of each kind.
import type { Kind } from "../store/buckets.js";
import {
  base64,
  bytes,
  type Check,
  encodedBytes,
  entries,
  fields,
  flag,
  list,
  optional,
  text,
  toText,
  whole,
} from "./checks.js";
import { keyPair } from "./identity.js";

export type MovedKind = Exclude<Kind, "sent" | "wrote">;

interface KindFile {
  id: RegExp;
  /// Baileys writes `__` for `/` and `-` for `:`.
  escape?: (id: string) => string;
  unescape?: (id: string) => string;
  check: Check<unknown>;
}

const KIB = 1024;
export const FILE_BYTES_MAX = 256 * KIB;
const NAME_BYTES_MAX = 255;

const USER = /^[\w.-]{1,64}$/;
const ADDRESS = /^[\w-]{1,64}\.\d{1,5}$/;
const BASE64 = /^[A-Za-z0-9+/]{0,128}={0,2}$/;
const count = whole(-1, Number.MAX_SAFE_INTEGER);

const chain = fields({
  chainKey: fields({ counter: count, key: optional(base64) }),
  chainType: whole(1, 2),
  messageKeys: entries(/^\d{1,10}$/, base64, 10_000),
});

/// A session as libsignal serialises it, with bytes as Base64.
const session = fields({
  version: optional(text(/^v1$/)),
  registrationId: optional(count),
  _sessions: entries(
    BASE64,
    fields({
      registrationId: optional(count),
      currentRatchet: fields({
        ephemeralKeyPair: fields({ pubKey: base64, privKey: base64 }),
        lastRemoteEphemeralKey: base64,
        previousCounter: count,
        rootKey: base64,
      }),
      indexInfo: fields({
        baseKey: base64,
        baseKeyType: whole(1, 2),
        closed: count,
        used: optional(count),
        created: optional(count),
        remoteIdentityKey: base64,
      }),
      _chains: entries(BASE64, chain, 1_000),
      pendingPreKey: optional(
        fields({ signedKeyId: count, baseKey: base64, preKeyId: optional(count) }),
      ),
    }),
    1_000,
  ),
});

const timestamp: Check<string | number> = (value) =>
  typeof value === "string" ? text(/^\d{1,16}$/)(value) : count(value);

/// Before Baileys 7 this was an array; now it is the array's JSON, as bytes.
const senderKey: Check<Buffer> = (value) =>
  Array.isArray(value) ? Buffer.from(JSON.stringify(value)) : bytes(0, FILE_BYTES_MAX)(value);

const FILES: Record<MovedKind, KindFile> = {
  "pre-key": { id: /^[1-9]\d{0,7}$/, check: keyPair },
  session: { id: ADDRESS, check: session },
  "identity-key": { id: ADDRESS, check: bytes(32, 33) },
  "lid-mapping": { id: USER, check: text(USER) },
  "device-list": { id: USER, check: list(text(/^\d{1,5}$/), 1_000) },
  tctoken: {
    id: /^[\w.@-]{1,128}$/,
    check: fields({
      token: optional(bytes(0, 64 * KIB)),
      timestamp: optional(timestamp),
      senderTimestamp: optional(count),
    }),
  },
  "sender-key": {
    id: /^[\w.@-]{1,128}::[\w.-]{1,64}::\d{1,5}$/,
    escape: (id) => id.replaceAll(":", "-"),
    unescape: (id) => id.replace(/--([\w.]+)--(\d+)$/, "::$1::$2"),
    check: senderKey,
  },
  "sender-key-memory": { id: /^[\w.@-]{1,128}$/, check: entries(/^[\w.:@-]+$/, flag, 10_000) },
  "app-state-sync-key": {
    id: BASE64,
    escape: (id) => id.replaceAll("/", "__"),
    unescape: (id) => id.replaceAll("__", "/"),
    check: fields({
      keyData: encodedBytes(0, 256),
      fingerprint: optional(
        fields({
          rawId: optional(count),
          currentIndex: optional(count),
          deviceIndexes: optional(list(count, 1_000)),
        }),
      ),
      timestamp: optional(timestamp),
    }),
  },
};

/// Longest names first, so that `sender-key-memory-…` is not taken for a `sender-key`.
const KINDS = (Object.keys(FILES) as MovedKind[]).sort((a, b) => b.length - a.length);

/// Whether the file is a copy of a part of the phone's app state, which no program here uses.
export function isAppState(name: string): boolean {
  return name.startsWith("app-state-sync-version-");
}

/// Undefined: the file does not belong to an authentication state.
export function keyOfFile(name: string): { kind: MovedKind; id: string } | undefined {
  const kind = KINDS.find((each) => name.startsWith(`${each}-`));
  if (!kind || !name.endsWith(".json")) {
    return undefined;
  }
  const escaped = name.slice(kind.length + 1, -".json".length);
  const { id: pattern, unescape } = FILES[kind];
  const id = unescape ? unescape(escaped) : escaped;
  return pattern.test(id) ? { kind, id } : undefined;
}

/// Undefined: the id cannot be part of a file name.
export function fileOfKey(kind: MovedKind, id: string): string | undefined {
  const { id: pattern, escape } = FILES[kind];
  const name = `${kind}-${escape ? escape(id) : id}.json`;
  return pattern.test(id) && name.length <= NAME_BYTES_MAX ? name : undefined;
}

/// The checked text of a key, to be kept. Undefined: it is no key of this kind.
export function keyText(kind: MovedKind, json: string): string | undefined {
  try {
    return toText(FILES[kind].check(JSON.parse(json)));
  } catch {
    return undefined;
  }
}
