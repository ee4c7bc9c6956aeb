// Queries about keys: counting and uploading a companion's own keys, and fetching those of others.
import { createHash } from "node:crypto";
import { keyType } from "../crypto/curve.ts";
import { attribute, bytes, child, children, node, ProtocolError, type Node } from "../wire/node.ts";
import type { Device, PreKey, SignedPreKey } from "./account.ts";
import type { Companion } from "./companion.ts";
import type { Directory } from "./directory.ts";
import { checkSignedPreKey, seconds } from "./identity.ts";

export function countKeys(from: Companion): Node[] {
  return [node("count", { value: String(from.remaining.length) })];
}

/** Takes more pre-keys. Identity and registration must be those of the linking. */
export function uploadKeys(from: Companion, query: Node): Node[] {
  if (!bytes(query, "identity").equals(from.identityKey())) {
    throw new ProtocolError("pre-keys of another identity");
  }
  if (bytes(query, "registration").readUInt32BE() !== from.registrationId) {
    throw new ProtocolError("pre-keys of another registration");
  }
  const signedPreKey = child(query, "skey");
  if (!signedPreKey) throw new ProtocolError("pre-keys without a signed one");
  from.replaceSignedPreKey(readSigned(signedPreKey));
  from.addPreKeys(children(child(query, "list") ?? query, "key").map(read));
  return [];
}

export function rotateKey(from: Companion, query: Node): Node[] {
  const signedPreKey = child(query, "rotate", "skey");
  if (!signedPreKey) throw new ProtocolError("a rotation without a key");
  from.replaceSignedPreKey(readSigned(signedPreKey));
  return [];
}

/** Checks the keys that a companion sends when it asks for a message again. */
export function checkRetryKeys(from: Companion, receipt: Node): void {
  const keys = child(receipt, "keys");
  const signed = keys && child(keys, "skey");
  if (!keys || !signed) return;
  if (!bytes(keys, "identity").equals(from.identityKey())) {
    throw new ProtocolError("a retry with keys of another identity");
  }
  const { key, signature } = readSigned(signed);
  checkSignedPreKey(from.identityKey(), key, signature);
}

/** A digest of the companion's keys on the server, for the companion to compare. */
export function digestKeys(from: Companion): Node[] {
  const { signedPreKey, remaining } = from;
  const hash = createHash("sha1").update(from.identityKey());
  hash.update(signedPreKey.key).update(signedPreKey.signature);
  for (const { key } of remaining) hash.update(key);
  return [
    node("digest", {}, [
      node("registration", {}, number(from.registrationId, 4)),
      node("type", {}, Buffer.of(keyType)),
      node("identity", {}, from.identityKey()),
      signedKeyNode(signedPreKey),
      node(
        "list",
        {},
        remaining.map(({ id }) => node("id", {}, number(id, 3))),
      ),
      node("hash", {}, hash.digest()),
    ]),
  ];
}

/** Key bundles of the named devices, each for beginning a session. */
export function fetchKeys(directory: Directory, query: Node): Node[] {
  const users = children(child(query, "key") ?? query, "user");
  const found = users.map((user) => {
    const jid = attribute(user, "jid");
    const device = directory.device(jid);
    if (device) return bundleNode(jid, device);
    return node("user", { jid }, [node("error", { code: "404", text: "item-not-found" })]);
  });
  return [node("list", {}, found)];
}

function bundleNode(jid: string, device: Device): Node {
  const bundle = device.takeBundle();
  const content = [
    node("registration", {}, number(bundle.registrationId, 4)),
    node("type", {}, Buffer.of(keyType)),
    node("identity", {}, bundle.identityKey),
    signedKeyNode(bundle.signedPreKey),
  ];
  if (bundle.preKey) content.push(node("key", {}, keyContent(bundle.preKey)));
  if (bundle.deviceIdentity) content.push(node("device-identity", {}, bundle.deviceIdentity));
  return node("user", { jid, t: String(seconds()) }, content);
}

function signedKeyNode(signed: SignedPreKey): Node {
  const signature = node("signature", {}, signed.signature);
  return node("skey", {}, [...keyContent(signed), signature]);
}

function keyContent({ id, key }: PreKey): Node[] {
  return [node("id", {}, number(id, 3)), node("value", {}, key)];
}

function read(key: Node): PreKey {
  return { id: bytes(key, "id").readUIntBE(0, 3), key: bytes(key, "value") };
}

function readSigned(key: Node): SignedPreKey {
  return { ...read(key), signature: bytes(key, "signature") };
}

export function number(value: number, length: number): Buffer {
  const data = Buffer.alloc(length);
  data.writeUIntBE(value, 0, length);
  return data;
}
