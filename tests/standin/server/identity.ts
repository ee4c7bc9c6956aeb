// Signatures over an account's devices: the phone signs the key of each companion, the companion
// countersigns, and the phone signs the list of its companions.
import { keyType, type KeyPair } from "../crypto/curve.ts";
import { hmac } from "../crypto/ciphers.ts";
import { sign, verify } from "../crypto/xeddsa.ts";
import { ProtocolError } from "../wire/node.ts";
import { Message, message, varint } from "../wire/protobuf.ts";

const prefix = {
  account: Buffer.from([6, 0]),
  device: Buffer.from([6, 1]),
  list: Buffer.from([6, 2]),
};

/** A companion's identity, signed by the phone. */
export interface AccountSignature {
  details: Buffer;
  accountKey: Buffer;
  signature: Buffer;
}

export function signCompanion(
  phone: KeyPair,
  companionKey: Uint8Array,
  rawId: number,
  keyIndex: number,
): AccountSignature {
  const details = message({ 1: rawId, 2: seconds(), 3: keyIndex });
  const signed = Buffer.concat([prefix.account, details, companionKey]);
  return { details, accountKey: phone.publicKey, signature: sign(phone.privateKey, signed) };
}

/** The message of the phone to a companion; only these two know `secret`. */
export function sealSignature(signed: AccountSignature, secret: Uint8Array): Buffer {
  const details = identity(signed);
  return message({ 1: details, 2: hmac(secret, details) });
}

/** Checks a companion's countersignature; returns the identity that other devices get. */
export function readCountersigned(
  data: Uint8Array,
  signed: AccountSignature,
  companionKey: Uint8Array,
): Buffer {
  const read = new Message(data);
  const accountKey = read.bytes(2); // Some clients leave it out.
  if (accountKey?.length && !accountKey.equals(signed.accountKey)) {
    throw new ProtocolError("a countersigned identity with the key of another account");
  }
  if (!read.need(1).equals(signed.details) || !read.need(3).equals(signed.signature)) {
    throw new ProtocolError("a countersigned identity that is not the one sent");
  }
  const deviceSignature = read.need(4);
  const text = [prefix.device, signed.details, companionKey, signed.accountKey];
  if (!verify(companionKey, Buffer.concat(text), deviceSignature)) {
    throw new ProtocolError("a wrong device signature");
  }
  return identity(signed, deviceSignature);
}

/** Checks the identity that a companion sends with a message that begins a session. */
export function checkIdentity(
  data: Uint8Array,
  accountKey: Uint8Array,
  companionKey: Uint8Array,
): void {
  const read = new Message(data);
  const details = read.need(1);
  const shownKey = read.bytes(2); // Some clients leave it out.
  if (shownKey?.length && !shownKey.equals(accountKey)) {
    throw new ProtocolError("an identity with the key of another account");
  }
  const byAccount = Buffer.concat([prefix.account, details, companionKey]);
  if (!verify(accountKey, byAccount, read.need(3))) {
    throw new ProtocolError("an identity that the account did not sign");
  }
  const byDevice = Buffer.concat([prefix.device, details, companionKey, accountKey]);
  if (!verify(companionKey, byDevice, read.need(4))) {
    throw new ProtocolError("an identity that the device did not sign");
  }
}

function identity(signed: AccountSignature, deviceSignature?: Uint8Array): Buffer {
  return message({
    1: signed.details,
    2: signed.accountKey,
    3: signed.signature,
    4: deviceSignature,
  });
}

export function signDeviceList(phone: KeyPair, rawId: number, indexes: number[]): Buffer {
  const details = message({
    1: rawId,
    2: seconds(),
    3: Math.max(0, ...indexes),
    4: Buffer.concat(indexes.map(varint)),
  });
  const signature = sign(phone.privateKey, Buffer.concat([prefix.list, details]));
  return message({ 1: details, 2: signature, 3: phone.publicKey });
}

/** The signature covers the key with its type byte. */
export function checkSignedPreKey(
  identityKey: Uint8Array,
  key: Uint8Array,
  signature: Uint8Array,
): void {
  if (!verify(identityKey, Buffer.concat([Buffer.of(keyType), key]), signature)) {
    throw new ProtocolError("a wrong signature of a signed pre-key");
  }
}

export function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
