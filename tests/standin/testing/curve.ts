// The XEdDSA implementation that the clients use.
import { createRequire } from "node:module";

interface Curve {
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}

export default createRequire(import.meta.url)("curve25519-js") as Curve;
