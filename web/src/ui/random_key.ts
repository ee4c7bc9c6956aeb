// A key with which a repeated request does nothing twice.

/** An Idempotency-Key: 128 random bits. (randomUUID needs HTTPS.) */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
