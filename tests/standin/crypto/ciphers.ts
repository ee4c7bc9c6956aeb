// AES-256 in the modes that the protocol uses, and its key derivations.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  pbkdf2Sync,
} from "node:crypto";

const tagLength = 16;
const nothing = Buffer.alloc(0);

export function encryptGcm(
  key: Uint8Array,
  iv: Uint8Array,
  plain: Uint8Array,
  associated: Uint8Array = nothing,
): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(associated);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws if the key is wrong or the data was changed. */
export function decryptGcm(
  key: Uint8Array,
  iv: Uint8Array,
  data: Uint8Array,
  associated: Uint8Array = nothing,
): Buffer {
  const cut = Math.max(0, data.length - tagLength);
  const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: tagLength });
  decipher.setAAD(associated).setAuthTag(data.subarray(cut));
  return Buffer.concat([decipher.update(data.subarray(0, cut)), decipher.final()]);
}

/** Counter mode: encrypts and decrypts. */
export function applyCtr(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Buffer {
  return createCipheriv("aes-256-ctr", key, iv).update(data);
}

export function encryptCbc(key: Uint8Array, iv: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv("aes-256-cbc", key, iv);
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}

export function decryptCbc(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Buffer {
  const decipher = createDecipheriv("aes-256-cbc", key, iv);
  return Buffer.concat([decipher.update(data), decipher.final()]);
}

export function hkdf(
  secret: Uint8Array,
  length: number,
  info = "",
  salt: Uint8Array = nothing,
): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, length));
}

export function pbkdf2(password: string, salt: Uint8Array, rounds: number): Buffer {
  return pbkdf2Sync(password, salt, rounds, 32, "sha256");
}

export function hmac(key: Uint8Array, ...pieces: Uint8Array[]): Buffer {
  const made = createHmac("sha256", key);
  for (const piece of pieces) made.update(piece);
  return made.digest();
}

export function sha256(...pieces: Uint8Array[]): Buffer {
  const made = createHash("sha256");
  for (const piece of pieces) made.update(piece);
  return made.digest();
}
