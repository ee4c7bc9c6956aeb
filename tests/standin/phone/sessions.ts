// The Signal sessions of a phone. libsignal encrypts and decrypts. Here are the checks that it
// lacks: the signature of a signed pre-key, and the identity of the device that begins a session.
import libsignal from "libsignal";
import { keyType, makeKeyPair, typed, type KeyPair } from "../crypto/curve.ts";
import { sign } from "../crypto/xeddsa.ts";
import type { Device, KeyBundle } from "../server/account.ts";
import { checkSignedPreKey } from "../server/identity.ts";
import { node, ProtocolError, type Node } from "../wire/node.ts";
import { Message } from "../wire/protobuf.ts";

const { ProtocolAddress, SessionBuilder, SessionCipher } = libsignal;
type Session = InstanceType<typeof libsignal.SessionRecord>;

const signedPreKeyId = 1;
const prekeyMessageType = 3;

export class Sessions {
  readonly identity = makeKeyPair();
  readonly registrationId = 1 + Math.floor(Math.random() * 16000);
  private readonly signedPreKey = makeKeyPair();
  private readonly signature = sign(this.identity.privateKey, typed(this.signedPreKey.publicKey));
  private readonly preKeys = new Map<number, KeyPair>();
  private readonly sessions = new Map<string, Session>();
  private preKeyIds = 0;

  /** A bundle with a fresh pre-key; a phone never runs out of pre-keys here. */
  takeBundle(): KeyBundle {
    const pair = makeKeyPair();
    const id = ++this.preKeyIds;
    this.preKeys.set(id, pair);
    const { publicKey } = this.signedPreKey;
    return {
      registrationId: this.registrationId,
      identityKey: this.identity.publicKey,
      signedPreKey: { id: signedPreKeyId, key: publicKey, signature: this.signature },
      preKey: { id, key: pair.publicKey },
      deviceIdentity: undefined,
    };
  }

  async encrypt(device: Device, plain: Buffer): Promise<Node> {
    const address = addressOf(device);
    if (!this.sessions.get(address.toString())?.haveOpenSession()) await this.begin(device);
    const sealed = await new SessionCipher(this.storage, address).encrypt(plain);
    const type = sealed.type === prekeyMessageType ? "pkmsg" : "msg";
    // The body is bytes, although libsignal's declarations say otherwise.
    return node("enc", { v: "2", type }, Buffer.from(sealed.body as unknown as Uint8Array));
  }

  async decrypt(device: Device, enc: Node): Promise<Buffer> {
    if (!(enc.content instanceof Uint8Array)) throw new ProtocolError("an empty ciphertext");
    const data = Buffer.from(enc.content);
    const cipher = new SessionCipher(this.storage, addressOf(device));
    if (enc.attrs["type"] !== "pkmsg") return cipher.decryptWhisperMessage(data);
    const identity = new Message(data.subarray(1)).need(3);
    if (!identity.equals(typed(device.identityKey()))) {
      throw new ProtocolError("a session begun with an identity that is not the device's");
    }
    return cipher.decryptPreKeyWhisperMessage(data);
  }

  forget(device: Device): void {
    this.sessions.delete(addressOf(device).toString());
  }

  clear(): void {
    this.sessions.clear();
  }

  private async begin(device: Device): Promise<void> {
    const { registrationId, identityKey, signedPreKey, preKey } = device.takeBundle();
    checkSignedPreKey(identityKey, signedPreKey.key, signedPreKey.signature);
    await new SessionBuilder(this.storage, addressOf(device)).initOutgoing({
      registrationId,
      identityKey: typed(identityKey),
      signedPreKey: {
        keyId: signedPreKey.id,
        publicKey: typed(signedPreKey.key),
        signature: signedPreKey.signature,
      },
      // The declarations require a pre-key, but libsignal works without one.
      preKey: preKey && { keyId: preKey.id, publicKey: typed(preKey.key) },
    } as Parameters<InstanceType<typeof SessionBuilder>["initOutgoing"]>[0]);
  }

  private readonly storage = {
    loadSession: async (address: string) => this.sessions.get(address),
    storeSession: async (address: string, session: Session) => {
      this.sessions.set(address, session);
    },
    isTrustedIdentity: () => true, // Checked above, against what the server knows.
    loadPreKey: async (id: number | string) => signalPair(this.preKeys.get(Number(id))),
    removePreKey: (id: number) => {
      this.preKeys.delete(id);
    },
    loadSignedPreKey: () => signalKeys(this.signedPreKey),
    getOurRegistrationId: () => this.registrationId,
    getOurIdentity: () => signalKeys(this.identity),
  };
}

function addressOf(device: Device): InstanceType<typeof ProtocolAddress> {
  return new ProtocolAddress(device.account.number, device.id);
}

function signalPair(pair: KeyPair | undefined): { privKey: Buffer; pubKey: Buffer } | undefined {
  return pair && signalKeys(pair);
}

function signalKeys({ privateKey, publicKey }: KeyPair): { privKey: Buffer; pubKey: Buffer } {
  return { privKey: privateKey, pubKey: Buffer.concat([Buffer.of(keyType), publicKey]) };
}
