// A linked device. Nodes delivered to it stay in its queue until it acknowledges them, so a lost
// connection loses none: after the next login they are sent again, marked as offline.
import { children, node, type Node } from "../wire/node.ts";
import { platform } from "../wire/jid.ts";
import type { Account, Device, KeyBundle, PreKey, SignedPreKey } from "./account.ts";
import type { Connection } from "./connection.ts";
import { checkSignedPreKey, seconds } from "./identity.ts";

/** The keys that a companion sends when it asks to be linked. */
export interface CompanionKeys {
  noiseKey: Buffer;
  identityKey: Buffer;
  registrationId: number;
  signedPreKey: SignedPreKey;
}

/** With fewer pre-keys left, a companion is told to upload more. */
const preKeysLow = 5;

export class Companion implements Device {
  connection: Connection | undefined;
  pushName = "";
  /** Whether its signed pre-key has a wrong signature, for clients that must detect that. */
  spoilt = false;
  /** Whether its phone told it about the history. */
  welcomed = false;
  private active = false;
  private queue: Node[] = [];
  private preKeys: PreKey[] = [];
  private notifications = 0;

  constructor(
    readonly account: Account,
    readonly id: number,
    private readonly keys: CompanionKeys,
    private readonly deviceIdentity: Buffer,
  ) {}

  get isLinked(): boolean {
    return this.account.devices.get(this.id) === this;
  }

  get noiseKey(): Buffer {
    return this.keys.noiseKey;
  }

  get registrationId(): number {
    return this.keys.registrationId;
  }

  get signedPreKey(): SignedPreKey {
    return this.keys.signedPreKey;
  }

  /** The pre-keys that are left. */
  get remaining(): readonly PreKey[] {
    return this.preKeys;
  }

  get waiting(): readonly Node[] {
    return this.queue;
  }

  identityKey(): Buffer {
    return this.keys.identityKey;
  }

  addPreKeys(preKeys: PreKey[]): void {
    const fresh = new Set(preKeys.map(({ id }) => id));
    this.preKeys = [...this.preKeys.filter(({ id }) => !fresh.has(id)), ...preKeys];
  }

  replaceSignedPreKey(signedPreKey: SignedPreKey): void {
    checkSignedPreKey(this.keys.identityKey, signedPreKey.key, signedPreKey.signature);
    this.keys.signedPreKey = signedPreKey;
  }

  takeBundle(): KeyBundle {
    const preKey = this.preKeys.shift();
    if (this.preKeys.length < preKeysLow) this.askForPreKeys();
    const { registrationId, identityKey, signedPreKey } = this.keys;
    const shown = this.spoilt ? { ...signedPreKey, signature: Buffer.alloc(64, 1) } : signedPreKey;
    const { deviceIdentity } = this;
    return { registrationId, identityKey, signedPreKey: shown, preKey, deviceIdentity };
  }

  /** Records a login; returns the connection that it replaces. */
  attach(connection: Connection): Connection | undefined {
    const replaced = this.connection;
    this.connection = connection;
    this.active = false;
    return replaced;
  }

  detach(connection: Connection): boolean {
    if (this.connection !== connection) return false;
    this.connection = undefined;
    this.active = false;
    return true;
  }

  /** Sends the queue, and from now on each new node at once. */
  activate(): void {
    if (this.active || !this.connection) return;
    this.active = true;
    const waited = [...this.queue];
    const count = String(waited.length);
    if (waited.length > 0) {
      this.connection.send(node("ib", {}, [node("offline_preview", { count })]));
    }
    for (const each of waited) {
      this.connection.send({ ...each, attrs: { ...each.attrs, offline: "0" } });
    }
    this.connection.send(node("ib", {}, [node("offline", { count })]));
  }

  deliver(delivered: Node): void {
    this.queue.push(delivered);
    if (this.active) this.connection?.send(delivered);
  }

  show(shown: Node): void {
    if (this.active) this.connection?.send(shown);
  }

  /** Removes the node with this tag and id from the queue. */
  acknowledge(tag: string, id: string): void {
    const place = this.queue.findIndex((each) => each.tag === tag && each.attrs["id"] === id);
    if (place >= 0) this.queue.splice(place, 1);
  }

  private askForPreKeys(): void {
    const asked = this.queue.some((each) => children(each, "count").length > 0);
    if (asked) return;
    const id = `pk-${++this.notifications}`;
    const count = node("count", { value: String(this.preKeys.length) });
    const attrs = { from: platform, id, t: String(seconds()), type: "encrypt" };
    this.deliver(node("notification", attrs, [count]));
  }
}
