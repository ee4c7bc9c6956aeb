// Baileys' session repository on a KeyStore, which Baileys' own transactions cannot bypass.
//
// Baileys commits a transaction after the frame has left, and a decryption before the message has
// been processed. Here sessions are written when they change, so that no frame leaves before its
// ratchet is durable. The changes of a decryption are held back until the message is durable, so
// that a message that the platform sends again can be decrypted again.
import {
  DEFAULT_CONNECTION_CONFIG,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStoreWithTransaction,
  type SocketConfig,
} from "baileys";
import type { KeyStore } from "../store/key_store.js";
import { currentScope, runIn, type Scope } from "./scope.js";

/// Makes a decrypted message durable.
export type Decrypted = (ciphertext: Uint8Array, plaintext: Uint8Array) => Promise<void>;

type MakeRepository = SocketConfig["makeSignalRepository"];

export function sessionRepository(
  store: KeyStore,
  scope: Scope,
  decrypted: Decrypted,
): MakeRepository {
  return (auth, logger, lookUp) => {
    const keys = writeThrough(auth.keys as SignalKeyStoreWithTransaction, store);
    const inner = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
      { creds: auth.creds, keys },
      logger,
      lookUp,
    );
    const { encryptMessage, decryptMessage } = inner;
    return Object.assign(inner, {
      encryptMessage: (async (options) => {
        const send = currentScope()?.send;
        if (send) {
          send.encrypted = true;
        }
        return encryptMessage.call(inner, options);
      }) as typeof encryptMessage,

      decryptMessage: (options: Parameters<typeof decryptMessage>[0]) =>
        store.hold((hold) =>
          runIn({ device: scope.device, fail: scope.fail, hold }, async () => {
            const plaintext = await decryptMessage.call(inner, options);
            await decrypted(options.ciphertext, plaintext);
            return plaintext;
          }),
        ),
    });
  };
}

/// The repository's view of the keys. Sessions bypass Baileys' transactions and go straight to the
/// store. During a decryption all keys do, and are held back there.
function writeThrough(
  keys: SignalKeyStoreWithTransaction,
  store: KeyStore,
): SignalKeyStoreWithTransaction {
  return {
    get: async <T extends keyof SignalDataTypeMap>(kind: T, ids: string[]) => {
      const hold = currentScope()?.hold;
      return hold || kind === "session" ? store.get(kind, ids, hold) : keys.get(kind, ids);
    },
    set: async (data: SignalDataSet) => {
      const hold = currentScope()?.hold;
      if (hold) {
        await store.set(data, hold);
        return;
      }
      const { session, ...rest } = data;
      if (session) {
        await store.set({ session });
      }
      if (Object.keys(rest).length > 0) {
        await keys.set(rest);
      }
    },
    isInTransaction: () => keys.isInTransaction(),
    transaction: (work, key) => keys.transaction(work, key),
  };
}
