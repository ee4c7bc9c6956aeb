// Writes a folder of a linked device by Baileys' useMultiFileAuthState.
import { randomBytes } from "node:crypto";
import { Curve, proto, useMultiFileAuthState } from "baileys";

export async function makeLinkedFolder(folder: string, number: string): Promise<void> {
  const { state, saveCreds } = await useMultiFileAuthState(folder);
  const { creds, keys } = state;
  creds.me = { id: `${number}:7@s.whatsapp.net`, lid: "77000000001:7@lid", name: "Toko" };
  creds.account = proto.ADVSignedDeviceIdentity.create({
    details: randomBytes(20),
    accountSignatureKey: randomBytes(32),
    accountSignature: randomBytes(64),
    deviceSignature: randomBytes(64),
  });
  creds.routingInfo = randomBytes(8);
  await saveCreds();
  const encoded = (bytes: number): string => randomBytes(bytes).toString("base64");
  const baseKey = encoded(33);
  const session = {
    version: "v1",
    _sessions: {
      [baseKey]: {
        registrationId: 77,
        currentRatchet: {
          ephemeralKeyPair: { pubKey: encoded(33), privKey: encoded(32) },
          lastRemoteEphemeralKey: encoded(33),
          previousCounter: 0,
          rootKey: encoded(32),
        },
        indexInfo: {
          baseKey,
          baseKeyType: 2,
          closed: -1,
          used: 1_790_000_000_000,
          created: 1_790_000_000_000,
          remoteIdentityKey: encoded(33),
        },
        _chains: {
          [encoded(33)]: {
            chainKey: { counter: 4, key: encoded(32) },
            chainType: 2,
            messageKeys: { 2: encoded(32) },
          },
          [encoded(33)]: { chainKey: { counter: -1 }, chainType: 1, messageKeys: {} },
        },
        pendingPreKey: { signedKeyId: 1, baseKey, preKeyId: 9 },
      },
    },
  };
  await keys.set({
    "pre-key": { 1: Curve.generateKeyPair(), 64: Curve.generateKeyPair() },
    session: { "77000000002_1.0": session as never, "6281234567891.3": session as never },
    "identity-key": { "77000000002_1.0": randomBytes(33) },
    "lid-mapping": { "6281234567891": "77000000002", "77000000002_reverse": "6281234567891" },
    "device-list": { "77000000002": ["0", "3"] },
  });
}
