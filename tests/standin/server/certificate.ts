// The chain of two certificates by which a server proves its static key to a client that knows the
// root: the root signs the intermediate, the intermediate signs the leaf, and the leaf has the key.
import { makeKeyPair, type KeyPair } from "../crypto/curve.ts";
import { sign } from "../crypto/xeddsa.ts";
import { message } from "../wire/protobuf.ts";

/** Faults of a chain, for tests of clients that must detect them. */
export const chainFaults = ["foreign_root", "foreign_leaf", "foreign_key", "expired"] as const;
export type ChainFault = (typeof chainFaults)[number];

/** Clients compare it with the serial of the intermediate's issuer. */
const rootSerial = 0;
const intermediateSerial = 1;
const leafSerial = 2;
const day = 24 * 60 * 60;

export function makeChain(root: KeyPair, serverKey: Uint8Array, fault?: ChainFault): Buffer {
  const intermediate = makeKeyPair();
  const rootSigner = fault === "foreign_root" ? makeKeyPair() : root;
  const leafSigner = fault === "foreign_leaf" ? makeKeyPair() : intermediate;
  const leafKey = fault === "foreign_key" ? makeKeyPair().publicKey : serverKey;
  const shift = fault === "expired" ? -30 * day : 0;
  return message({
    1: certificate(leafSigner, leafSerial, intermediateSerial, leafKey, shift),
    2: certificate(rootSigner, intermediateSerial, rootSerial, intermediate.publicKey, shift),
  });
}

function certificate(
  signer: KeyPair,
  serial: number,
  issuer: number,
  key: Uint8Array,
  shift: number,
): Buffer {
  const now = Math.floor(Date.now() / 1000) + shift;
  const details = message({ 1: serial, 2: issuer, 3: key, 4: now - day, 5: now + day });
  return message({ 1: details, 2: sign(signer.privateKey, details) });
}
