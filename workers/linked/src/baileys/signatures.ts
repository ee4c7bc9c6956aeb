// Repairs signature checks. Those of libsignal 6.0.0 and Baileys 7.0.0-rc14 never fail: libsignal
// returns false where Baileys expects an exception, and neither compares the platform's certificate
// with the key of the handshake. Without this file only TLS would authenticate the platform.
import { timingSafeEqual } from "node:crypto";
import * as libsignal from "libsignal";
import { verifySignature } from "../platform/xeddsa.js";

type Verify = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;
type Agree = (publicKey: Uint8Array, privateKey: Uint8Array) => Uint8Array;

interface Curve {
  verifySignature: Verify;
  calculateAgreement: Agree;
}

/// The public key of the last key agreement, without its type byte. The handshake agrees on a key
/// with the server's static key and then decodes the certificate synchronously, so at that moment
/// this is the server's static key.
let lastAgreedKey: Buffer | undefined;
let repaired = false;

/// Replaces the checks in libsignal's module object, so that later importers get the new ones. Call
/// it before Baileys is imported. Idempotent.
export function repairSignatures(): void {
  if (repaired) {
    return;
  }
  const { curve } = libsignal as unknown as { curve: Curve };
  const agree = curve.calculateAgreement;
  // The fourth parameter, with which libsignal skips the check of a contact's key, is dropped.
  curve.verifySignature = (key, message, signature) => {
    if (!verifySignature(key, message, signature)) {
      throw new Error("Invalid signature");
    }
    return true;
  };
  curve.calculateAgreement = (publicKey, privateKey) => {
    lastAgreedKey = Buffer.from(publicKey.length === 33 ? publicKey.subarray(1) : publicKey);
    return agree(publicKey, privateKey);
  };
  repaired = true;
}

interface Certificate {
  details?: Uint8Array | null;
  signature?: Uint8Array | null;
}

interface CertificateDetails {
  serial?: number | null;
  issuerSerial?: number | null;
  key?: Uint8Array | null;
  // Seconds, as numbers or as the protobuf library's long integers.
  notBefore?: number | object | null;
  notAfter?: number | object | null;
}

// Allowed error of this machine's clock or the platform's.
const CLOCK_SECONDS_MAX = 24 * 60 * 60;

/// The part of Baileys that decodes certificates.
export interface CertificateCodec {
  CertChain: {
    decode(bytes: Uint8Array): { leaf?: Certificate | null; intermediate?: Certificate | null };
    NoiseCertificate: { Details: { decode(bytes: Uint8Array): CertificateDetails } };
  };
}

/// Makes the decoding of a certificate chain fail unless its intermediate issued its leaf, the leaf
/// has the key of the current handshake, and both are valid now. Baileys verifies the signatures,
/// with the repaired check.
export function checkCertificates(
  proto: CertificateCodec,
  now: () => number = () => Date.now(),
): void {
  const { CertChain } = proto;
  const details = CertChain.NoiseCertificate.Details;
  const decode = CertChain.decode;
  CertChain.decode = (bytes) => {
    const chain = decode.call(CertChain, bytes);
    if (!chain.leaf?.details || !chain.intermediate?.details) {
      throw untrusted("is incomplete");
    }
    const leaf = details.decode(chain.leaf.details);
    const intermediate = details.decode(chain.intermediate.details);
    if ((leaf.issuerSerial ?? 0) !== (intermediate.serial ?? 0)) {
      throw untrusted("has another issuer");
    }
    if (![leaf, intermediate].every((each) => isValidAt(each, now() / 1000))) {
      throw untrusted("has expired, or is not valid yet");
    }
    const key = Buffer.from(leaf.key ?? []);
    if (!lastAgreedKey || key.length !== 32 || !timingSafeEqual(key, lastAgreedKey)) {
      throw untrusted("is of another key");
    }
    return chain;
  };
}

/// A certificate without times is always valid.
function isValidAt({ notBefore, notAfter }: CertificateDetails, now: number): boolean {
  const begin = Number(String(notBefore ?? 0));
  const end = Number(String(notAfter ?? 0));
  return now + CLOCK_SECONDS_MAX >= begin && (end === 0 || now - CLOCK_SECONDS_MAX <= end);
}

/// Uses the code of Baileys' own certificate errors.
function untrusted(why: string): Error {
  return Object.assign(new Error(`the platform's certificate ${why}`), {
    output: { statusCode: 400 },
  });
}
