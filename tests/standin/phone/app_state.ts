// The state of the phone's app that companions may copy: here its saved contacts, in one
// collection. Encrypted and signed as phones do it, so that clients that verify it accept it.
import { createHmac, randomBytes } from "node:crypto";
import { encryptCbc, hkdf, hmac } from "../crypto/ciphers.ts";
import { node, type Node } from "../wire/node.ts";
import { message } from "../wire/protobuf.ts";
import { sealMedia } from "./media.ts";

export interface AppStateKey {
  id: Buffer;
  key: Buffer;
}

/** The collection that has the contacts. */
export const contactsCollection = "critical_unblock_low";

const set = 1;
const hashLength = 128;

export class AppState {
  readonly key: AppStateKey = { id: randomBytes(6), key: randomBytes(32) };
  version = 0;
  private contacts = 0;

  /** Replaces the contacts by so many others. */
  save(contacts: number): void {
    this.contacts = contacts;
    this.version++;
  }

  /** The answer to a companion that asks for a collection. `store` returns the media's path. */
  collection(name: string, store: (sealed: Buffer) => string): Node {
    const filled = name === contactsCollection && this.contacts > 0;
    const attrs = { name, version: String(filled ? this.version : 0), has_more_patches: "false" };
    if (!filled) return node("collection", attrs);
    const media = sealMedia("app state", this.snapshot(name), store);
    const reference = message({
      ...{ 1: media.key, 2: media.path, 4: media.length },
      ...{ 5: media.hash, 6: media.encryptedHash },
    });
    return node("collection", attrs, [node("snapshot", {}, reference)]);
  }

  private snapshot(name: string): Buffer {
    const keys = expand(this.key.key);
    const keyId = message({ 1: this.key.id });
    const sum = Buffer.alloc(hashLength);
    const records = Array.from({ length: this.contacts }, (_, at) => {
      const index = Buffer.from(JSON.stringify(["contact", `62812${at}@s.whatsapp.net`]));
      const value = message({ 1: Date.now(), 3: message({ 1: `Kontak ${at}`, 2: "Kontak" }) });
      const iv = randomBytes(16);
      const plain = message({ 1: index, 2: value, 3: "", 4: 2 });
      const sealed = Buffer.concat([iv, encryptCbc(keys.value, iv, plain)]);
      const mac = this.valueMac(keys.valueMac, sealed);
      add(sum, hkdf(mac, hashLength, "WhatsApp Patch Integrity"));
      return message({
        1: message({ 1: hmac(keys.index, index) }),
        2: message({ 1: Buffer.concat([sealed, mac]) }),
        3: keyId,
      });
    });
    const version = Buffer.alloc(8);
    version.writeUInt32BE(this.version, 4);
    const mac = hmac(keys.snapshotMac, sum, version, Buffer.from(name));
    return message({ 1: message({ 1: this.version }), 2: records, 3: mac, 4: keyId });
  }

  private valueMac(key: Buffer, sealed: Buffer): Buffer {
    const head = Buffer.concat([Buffer.of(set), this.key.id]);
    const length = Buffer.alloc(8);
    length.writeUInt8(head.length, 7);
    const made = createHmac("sha512", key).update(head).update(sealed).update(length);
    return made.digest().subarray(0, 32);
  }
}

function expand(key: Buffer): Record<"index" | "value" | "valueMac" | "snapshotMac", Buffer> {
  const keys = hkdf(key, 160, "WhatsApp Mutation Keys");
  return {
    index: keys.subarray(0, 32),
    value: keys.subarray(32, 64),
    valueMac: keys.subarray(64, 96),
    snapshotMac: keys.subarray(96, 128),
  };
}

/** Adds point by point, as numbers of two bytes. */
function add(sum: Buffer, other: Buffer): void {
  for (let at = 0; at < hashLength; at += 2) {
    sum.writeUInt16LE((sum.readUInt16LE(at) + other.readUInt16LE(at)) & 0xffff, at);
  }
}
