// Verifies XEdDSA signatures, which are made with X25519 keys, as Ed25519 with Node's own
// cryptography. That is a hundred times as fast as in JavaScript.
import { createPublicKey, verify } from "node:crypto";

const P = 2n ** 255n - 19n;
const ED25519_HEADER = Buffer.from("302a300506032b6570032100", "hex");
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const SIGN_BIT = 0x80;
const TYPE = 5;

/// `key`: a public key of X25519, with or without its type byte. Malformed input returns false.
export function verifySignature(
  key: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const montgomery = key.length === KEY_BYTES + 1 && key[0] === TYPE ? key.subarray(1) : key;
  if (montgomery.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) {
    return false;
  }
  const edwards = edwardsOf(montgomery);
  if (!edwards) {
    return false;
  }
  // The sign of the Edwards point travels in the highest bit of the signature.
  const last = signature[SIGNATURE_BYTES - 1]!;
  edwards[KEY_BYTES - 1]! |= last & SIGN_BIT;
  const plain = Buffer.from(signature);
  plain[SIGNATURE_BYTES - 1] = last & ~SIGN_BIT;
  try {
    const der = Buffer.concat([ED25519_HEADER, edwards]);
    return verify(null, message, createPublicKey({ key: der, format: "der", type: "spki" }), plain);
  } catch {
    return false; // Not a point of the curve.
  }
}

/// The y of the Edwards point: (u - 1) / (u + 1).
function edwardsOf(montgomery: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(montgomery).reverse();
  const u = BigInt(`0x${bytes.toString("hex")}`) & (2n ** 255n - 1n);
  if (u >= P || u === P - 1n) {
    return undefined;
  }
  const y = ((u + P - 1n) * power(u + 1n, P - 2n)) % P;
  return Buffer.from(y.toString(16).padStart(64, "0"), "hex").reverse();
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base % P;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) {
      result = (result * square) % P;
    }
    square = (square * square) % P;
  }
  return result;
}
