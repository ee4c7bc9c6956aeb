// The phone's side of linking a companion, by a scanned QR code or a typed code.
import { randomBytes } from "node:crypto";
import { applyCtr, decryptGcm, hkdf, pbkdf2 } from "../crypto/ciphers.ts";
import { makeKeyPair, sharedSecret, type KeyPair } from "../crypto/curve.ts";
import type { CodeRequest, Pairing } from "../server/pairing.ts";

const rounds = 131_072;
const bundleInfo = "link_code_pairing_key_bundle_encryption_key";

/** The content of a QR code; newer clients write it as a link. */
export interface QrCode {
  reference: string;
  noiseKey: Buffer;
  identityKey: Buffer;
  secret: Buffer;
}

export function readQr(text: string): QrCode {
  const parts = text.slice(text.indexOf("#") + 1).split(",");
  const [reference, noiseKey, identityKey, secret] = parts;
  if (!reference || !noiseKey || !identityKey || !secret) throw new Error("not a QR code to link");
  return {
    reference,
    noiseKey: Buffer.from(noiseKey, "base64"),
    identityKey: Buffer.from(identityKey, "base64"),
    secret: Buffer.from(secret, "base64"),
  };
}

/**
 * Proves to the client that the phone knows the code, and checks that the client does. Resolves
 * with the shared secret; rejects if the codes differ.
 */
export async function agreeByCode(
  pairing: Pairing,
  request: CodeRequest,
  phone: KeyPair,
  typedCode: string,
): Promise<Buffer> {
  const code = typedCode.replaceAll("-", "").toUpperCase();
  const companionEphemeral = unwrap(code, request.wrappedKey);
  const ephemeral = makeKeyPair();
  const answer = new Promise<[Buffer, Buffer]>((resolve, reject) => {
    request.answered = (sealed, companionKey) => resolve([sealed, companionKey]);
    request.abandoned = reject;
  });
  pairing.sendPhoneHello(request, wrap(code, ephemeral.publicKey), phone.publicKey);
  const [sealed, companionKey] = await answer;
  const shared = sharedSecret(ephemeral.privateKey, companionEphemeral);
  const random = openBundle(shared, sealed, companionKey, phone.publicKey);
  const identities = sharedSecret(phone.privateKey, companionKey);
  return hkdf(Buffer.concat([shared, identities, random]), 32, "adv_secret");
}

function openBundle(
  shared: Buffer,
  sealed: Buffer,
  companionKey: Buffer,
  phoneKey: Buffer,
): Buffer {
  const key = hkdf(shared, 32, bundleInfo, sealed.subarray(0, 32));
  let bundle: Buffer;
  try {
    bundle = decryptGcm(key, sealed.subarray(32, 44), sealed.subarray(44));
  } catch {
    throw new Error("the code is wrong");
  }
  const expected = Buffer.concat([companionKey, phoneKey]);
  if (!bundle.subarray(0, 64).equals(expected)) throw new Error("keys of others in the bundle");
  return bundle.subarray(64);
}

function wrap(code: string, key: Buffer): Buffer {
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  return Buffer.concat([salt, iv, applyCtr(pbkdf2(code, salt, rounds), iv, key)]);
}

function unwrap(code: string, wrapped: Buffer): Buffer {
  const key = pbkdf2(code, wrapped.subarray(0, 32), rounds);
  return applyCtr(key, wrapped.subarray(32, 48), wrapped.subarray(48));
}
