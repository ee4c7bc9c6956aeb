// The root of the platform's certificates, for which Baileys has no option.
import { WA_CERT_DETAILS } from "baileys";

/// Connections that are made from now on trust the certificates of this public key alone.
export function trustRootKey(key: Buffer<ArrayBuffer>): void {
  WA_CERT_DETAILS.PUBLIC_KEY = key;
}
