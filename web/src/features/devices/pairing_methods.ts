// The ways to link a device, in the order in which they are offered.
import type { Connector } from "../../api/types.ts";

export type Method = Connector["pairing"][number];

export const USUAL: Method[] = ["qr", "code"]; // Of a server that does not say.

/** The best way first. A phone cannot scan its own screen. */
export function sorted(methods: readonly Method[], onPhone: boolean): Method[] {
  const scanned: Method[] = onPhone ? ["code", "qr"] : ["qr", "code"];
  const order: Method[] = [...scanned, "pin", "sms", "voice", "otp", "passkey"];
  const known = order.filter((method) => methods.includes(method));
  // Where PIN and codes have names of their own, no way is left that asks for either.
  return known.includes("pin") ? known.filter((method) => method !== "otp") : known;
}
