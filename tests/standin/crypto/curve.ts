// X25519 key pairs and key agreement.
import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync } from "node:crypto";

export interface KeyPair {
  privateKey: Buffer;
  publicKey: Buffer;
}

// The DER header before the 32 bytes of a key.
const privatePrefix = Buffer.from("302e020100300506032b656e04220420", "hex");
const publicPrefix = Buffer.from("302a300506032b656e032100", "hex");

/** The byte that Signal writes before a public key. */
export const keyType = 5;

export function makeKeyPair(): KeyPair {
  const made = generateKeyPairSync("x25519", {
    privateKeyEncoding: { format: "der", type: "pkcs8" },
    publicKeyEncoding: { format: "der", type: "spki" },
  });
  return {
    privateKey: made.privateKey.subarray(privatePrefix.length),
    publicKey: made.publicKey.subarray(publicPrefix.length),
  };
}

export function sharedSecret(privateKey: Uint8Array, publicKey: Uint8Array): Buffer {
  return diffieHellman({
    privateKey: createPrivateKey({
      key: Buffer.concat([privatePrefix, privateKey]),
      format: "der",
      type: "pkcs8",
    }),
    publicKey: createPublicKey({
      key: Buffer.concat([publicPrefix, publicKey]),
      format: "der",
      type: "spki",
    }),
  });
}

/** A public key as Signal signs and sends it: 33 bytes. */
export function typed(publicKey: Uint8Array): Buffer {
  return publicKey.length === 33
    ? Buffer.from(publicKey)
    : Buffer.concat([Buffer.of(keyType), publicKey]);
}
