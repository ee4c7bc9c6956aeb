// The identity of a linked device: creds.json.
import { createPrivateKey, createPublicKey } from "node:crypto";
import { isSameNumber } from "../platform/addresses.js";
import { verifySignature } from "../platform/xeddsa.js";
import {
  anyText,
  base64,
  bytes,
  type Check,
  encodedBytes,
  fields,
  flag,
  list,
  optional,
  text,
  toText,
  Unusable,
  whole,
} from "./checks.js";

const PRE_KEY_ID_MAX = 0xffffff;
const OWN_ADDRESS = /^\d{5,20}(?:[_.]\d{1,3})?(?::\d{1,5})?@s\.whatsapp\.net$/;
const ANY_ADDRESS = /^[\w.:@-]{1,128}$/;

const PRIVATE_HEADER = Buffer.from("302e020100300506032b656e04220420", "hex");
const KEY_TYPE = Buffer.from([5]);

/// A key pair whose public key belongs to its private key.
export const keyPair: Check<{ private: Buffer; public: Buffer }> = (value) => {
  const pair = fields({ private: bytes(32), public: bytes(32, 33) })(value);
  if (!publicOf(pair.private).equals(pair.public.subarray(-32))) {
    throw new Unusable("a key pair");
  }
  return pair;
};

function publicOf(key: Buffer): Buffer {
  const der = Buffer.concat([PRIVATE_HEADER, key]);
  const pair = createPublicKey(createPrivateKey({ key: der, format: "der", type: "pkcs8" }));
  return pair.export({ format: "der", type: "spki" }).subarray(-32);
}

const credentials = fields({
  noiseKey: keyPair,
  pairingEphemeralKeyPair: keyPair,
  signedIdentityKey: keyPair,
  signedPreKey: fields({
    keyPair,
    signature: bytes(64),
    keyId: whole(0, PRE_KEY_ID_MAX),
    timestampS: optional(whole(0, Number.MAX_SAFE_INTEGER)),
  }),
  registrationId: whole(0, 0x7fffffff),
  advSecretKey: base64,
  me: optional(
    fields({
      id: text(OWN_ADDRESS),
      lid: optional(text(ANY_ADDRESS)),
      name: optional(anyText),
      notify: optional(anyText),
      verifiedName: optional(anyText),
    }),
  ),
  account: optional(
    fields({
      details: encodedBytes(1, 1024),
      accountSignatureKey: encodedBytes(32, 33),
      accountSignature: encodedBytes(64),
      deviceSignature: encodedBytes(64),
    }),
  ),
  signalIdentities: optional(
    list(
      fields({
        identifier: fields({
          name: optional(text(ANY_ADDRESS)),
          deviceId: whole(0, 65_535),
        }),
        identifierKey: bytes(32, 33),
      }),
      64,
    ),
  ),
  platform: optional(text(/^[\w .-]*$/, 64)),
  myAppStateKeyId: optional(base64),
  firstUnuploadedPreKeyId: whole(0, PRE_KEY_ID_MAX),
  nextPreKeyId: whole(0, PRE_KEY_ID_MAX),
  lastAccountSyncTimestamp: optional(whole(0, Number.MAX_SAFE_INTEGER)),
  accountSyncCounter: optional(whole(0, Number.MAX_SAFE_INTEGER)),
  registered: optional(flag),
  lastPropHash: optional(anyText),
  routingInfo: optional(bytes(0, 1024)),
});

/// The checked text of creds.json, to be kept. Errors: Unusable, with a sentence for a person.
export function identityText(json: string, number: string): string {
  const kept = checked(json);
  if (!kept.me || !kept.account) {
    throw new Unusable("creds.json is of a device that was never linked");
  }
  if (!isSameNumber(kept.me.id, number)) {
    throw new Unusable(`creds.json is of another number than ${number}`);
  }
  const { keyPair: signed, signature } = kept.signedPreKey;
  const message = Buffer.concat([KEY_TYPE, signed.public.subarray(-32)]);
  if (!verifySignature(kept.signedIdentityKey.public, message, signature)) {
    throw new Unusable("creds.json is broken: its keys do not belong together");
  }
  return toText({
    ...kept,
    accountSyncCounter: kept.accountSyncCounter ?? 0,
    registered: kept.registered ?? false,
    // The worker requests no history.
    processedHistoryMessages: [],
    accountSettings: { unarchiveChats: false },
  });
}

function checked(json: string): ReturnType<typeof credentials> {
  try {
    return credentials(JSON.parse(json));
  } catch {
    throw new Unusable("creds.json is broken: it is no identity of a linked device");
  }
}
