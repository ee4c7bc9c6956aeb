// Standard Webhooks 1.0, implemented from its text, for comparison with its npm package.
import { createHmac, timingSafeEqual } from "node:crypto";
import { Webhook } from "standardwebhooks";

/** The `v1` signature over id, timestamp and raw body. */
export function sign(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return `v1,${mac}`;
}

/** Whether one of the header's signatures is ours. */
export function isSigned(secret: string, headers: Record<string, string>, body: string): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": list } = headers;
  if (!id || !timestamp || !list) return false;
  const expected = Buffer.from(sign(secret, id, timestamp, body));
  return list.split(" ").some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** Throws unless both our own code and the npm package accept it. */
export function expectSigned(secret: string, headers: Record<string, string>, body: string): void {
  new Webhook(secret).verify(body, headers);
  if (!isSigned(secret, headers, body)) throw new Error("the signature is not ours");
}
