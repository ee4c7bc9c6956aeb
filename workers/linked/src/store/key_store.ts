// Baileys' key store on a DeviceStore. It enforces two rules that Baileys does not: a session is
// durable before a frame encrypted with it leaves, and a received message is durable before the
// session that decrypted it.
import {
  BufferJSON,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from "baileys";
import { bucketOf, type Kind } from "./buckets.js";
import type { Change, DeviceStore } from "./device_store.js";

type KeyKind = keyof SignalDataTypeMap;

const APP_STATE = "app-state-sync-version"; // Not kept: see inbound/inbound_desk.ts.
/// The id of the list of contacts with a token, which Baileys reads to remove old ones.
export const TOKEN_INDEX = "__index";
export const TOKEN_INDEX_CONTACTS_MAX = 1_000;

/// Operation: `set` without a hold writes at once, and resolves when the changes are durable. `set`
/// with a hold keeps its changes back: only reads with that hold see them, and other reads of these
/// keys wait until the hold ends.
export class KeyStore implements SignalKeyStore {
  private readonly held = new Map<string, Hold>();

  constructor(private readonly store: DeviceStore) {}

  async get<T extends KeyKind>(
    kind: T,
    ids: string[],
    hold?: Hold,
  ): Promise<{ [id: string]: SignalDataTypeMap[T] }> {
    const found: { [id: string]: SignalDataTypeMap[T] } = {};
    if (kind === APP_STATE) {
      return found;
    }
    const rest: string[] = [];
    for (const id of ids) {
      const other = this.held.get(`${kind} ${id}`);
      if (other && other !== hold) {
        await other.ended;
      }
      const text = hold?.texts.get(`${kind} ${id}`)?.text;
      if (typeof text === "string") {
        this.add(found, kind, id, text);
      } else if (text === undefined) {
        rest.push(id);
      }
    }
    for (const [id, text] of await this.store.read(kind as Kind, rest)) {
      this.add(found, kind, id, text);
    }
    return found;
  }

  /// A key that cannot be decoded counts as absent.
  private add<T extends KeyKind>(
    found: { [id: string]: SignalDataTypeMap[T] },
    kind: T,
    id: string,
    text: string,
  ): void {
    try {
      found[id] = decode(kind, text);
    } catch {
      this.store.damaged(bucketOf(kind as Kind, id));
    }
  }

  async set(data: SignalDataSet, hold?: Hold): Promise<void> {
    const changes = changesOf(data);
    if (changes.length === 0) {
      return;
    }
    if (!hold) {
      await this.store.write(changes);
      return;
    }
    for (const change of changes) {
      const key = `${change.kind} ${change.id}`;
      hold.texts.set(key, change);
      this.held.set(key, hold);
    }
  }

  /// Runs `work` with a hold. Writes the held changes if it succeeds, or drops them if it fails.
  async hold<T>(work: (hold: Hold) => Promise<T>): Promise<T> {
    const hold = new Hold();
    try {
      const result = await work(hold);
      const changes = [...hold.texts.values()];
      if (changes.length > 0) {
        await this.store.write(changes);
      }
      return result;
    } finally {
      for (const key of hold.texts.keys()) {
        if (this.held.get(key) === hold) {
          this.held.delete(key);
        }
      }
      hold.end();
    }
  }
}

/// Changes that a decryption holds back.
export class Hold {
  readonly texts = new Map<string, Change>();
  end: () => void = () => {};
  readonly ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });
}

function changesOf(data: SignalDataSet): Change[] {
  const changes: Change[] = [];
  for (const [kind, entries] of Object.entries(data)) {
    if (kind === APP_STATE) {
      continue;
    }
    for (const [id, value] of Object.entries(entries ?? {})) {
      const text =
        value === null || value === undefined ? null : encode(kind as KeyKind, id, value);
      changes.push({ kind: kind as Kind, id, text });
    }
  }
  return changes;
}

function encode(kind: KeyKind, id: string, value: unknown): string {
  const kept = kind === "tctoken" && id === TOKEN_INDEX ? shortIndex(value) : value;
  return JSON.stringify(kept, BufferJSON.replacer);
}

/// Baileys rewrites the list of all contacts with a token for each new contact. This keeps only the
/// newest, so that the writes stay small.
function shortIndex(value: unknown): unknown {
  const { token } = value as { token?: Uint8Array };
  const contacts = JSON.parse(Buffer.from(token ?? []).toString() || "[]") as unknown[];
  const last = contacts.slice(-TOKEN_INDEX_CONTACTS_MAX);
  return { ...(value as object), token: Buffer.from(JSON.stringify(last)) };
}

function decode<T extends KeyKind>(kind: T, text: string): SignalDataTypeMap[T] {
  const value = JSON.parse(text, BufferJSON.reviver) as SignalDataTypeMap[T];
  if (kind === "app-state-sync-key") {
    const data = value as proto.Message.IAppStateSyncKeyData;
    return proto.Message.AppStateSyncKeyData.fromObject(data) as never;
  }
  return value;
}
