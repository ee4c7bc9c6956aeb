// XEdDSA: signatures made with X25519 keys (signal.org/docs/specifications/xeddsa). An X25519 key
// lacks the sign of its Edwards form, so the signature's top bit carries the sign.
import { ed25519 } from "@noble/curves/ed25519.js";
import { createHash, randomBytes } from "node:crypto";

const { Point } = ed25519;
const order = Point.Fn.ORDER;
const field = Point.Fp;

export function sign(privateKey: Uint8Array, message: Uint8Array): Buffer {
  const scalar = mod(littleEndian(clamped(privateKey)));
  const publicKey = Point.BASE.multiply(scalar).toBytes();
  const first = Buffer.alloc(32, 0xff);
  first[0] = 0xfe;
  const nonce = mod(hash(first, clamped(privateKey), message, randomBytes(64)));
  const commitment = Point.BASE.multiply(nonce).toBytes();
  const challenge = mod(hash(commitment, publicKey, message));
  const response = bytes(mod(nonce + challenge * scalar));
  response[31] = (response[31] ?? 0) | ((publicKey[31] ?? 0) & 0x80);
  return Buffer.concat([commitment, response]);
}

export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false;
  const plain = Buffer.from(signature);
  const negative = (plain[63] ?? 0) & 0x80;
  plain[63] = (plain[63] ?? 0) & 0x7f;
  try {
    return ed25519.verify(plain, message, edwards(publicKey, negative), { zip215: false });
  } catch {
    return false; // The key is not on the curve.
  }
}

/** The Edwards form of a Montgomery key: y = (u - 1) / (u + 1), and the sign of x. */
function edwards(publicKey: Uint8Array, sign: number): Buffer {
  const u = field.create(littleEndian(publicKey));
  const y = field.mul(field.sub(u, field.ONE), field.inv(field.add(u, field.ONE)));
  const key = bytes(y);
  key[31] = (key[31] ?? 0) | sign;
  return key;
}

function clamped(privateKey: Uint8Array): Buffer {
  const key = Buffer.from(privateKey);
  key[0] = (key[0] ?? 0) & 248;
  key[31] = ((key[31] ?? 0) & 127) | 64;
  return key;
}

function hash(...pieces: Uint8Array[]): bigint {
  const sha512 = createHash("sha512");
  for (const piece of pieces) sha512.update(piece);
  return littleEndian(sha512.digest());
}

function mod(value: bigint): bigint {
  return value % order;
}

function littleEndian(data: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(data).reverse().toString("hex")}`);
}

function bytes(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex").reverse();
}
