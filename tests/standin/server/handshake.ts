// The server's side of the Noise handshake, which gives both sides a key for each direction. A
// client that knows the server's key tries IK, others begin with XX:
//
//   XX                                        IK
//   e              -->                        e, es, s, ss, the payload     -->
//   <-- e, ee, s, es, the certificates        <-- e, ee, se, the certificates
//   s, se, the payload    -->
//
// If IK fails because the server has another key, the server continues as in XX ("XXfallback").
import { makeKeyPair, sharedSecret, type KeyPair } from "../crypto/curve.ts";
import { decryptGcm, encryptGcm, hkdf, sha256 } from "../crypto/ciphers.ts";
import { introduction } from "../wire/frames.ts";
import { Message, message } from "../wire/protobuf.ts";

const patterns: Record<"full" | "resumed" | "fallback", Buffer> = {
  full: Buffer.from("Noise_XX_25519_AESGCM_SHA256\0\0\0\0"),
  resumed: Buffer.from("Noise_IK_25519_AESGCM_SHA256\0\0\0\0"),
  fallback: sha256(Buffer.from("Noise_XXfallback_25519_AESGCM_SHA256")),
};
const field = { clientHello: 2, serverHello: 3, clientFinish: 4 };

/** The result of a handshake: the client's proven key, and its payload. */
export interface Finished {
  clientKey: Buffer;
  payload: Message;
  transport: Transport;
}

/** The server's answer; with IK it completes the handshake. */
export interface Answer {
  reply: Buffer;
  finished: Finished | undefined;
}

export class Handshake {
  private hash: Buffer = patterns.full;
  private chainingKey: Buffer = patterns.full;
  private key: Buffer = patterns.full;
  private counter = 0;
  private readonly ephemeral = makeKeyPair();

  constructor(private readonly serverKey: KeyPair) {}

  /** Answers the client's first frame. */
  answer(frame: Uint8Array, certificates: Uint8Array): Answer {
    const hello = open(frame, field.clientHello);
    if (!hello.has(2)) return this.answerFull(hello, certificates, patterns.full);
    return (
      this.answerResumed(hello, certificates) ??
      this.answerFull(hello, certificates, patterns.fallback)
    );
  }

  private answerFull(hello: Message, certificates: Uint8Array, pattern: Buffer): Answer {
    const clientEphemeral = hello.need(1);
    this.begin(pattern);
    this.mixHash(clientEphemeral);
    this.mixHash(this.ephemeral.publicKey);
    this.mixKey(sharedSecret(this.ephemeral.privateKey, clientEphemeral));
    const staticKey = this.encrypt(this.serverKey.publicKey);
    this.mixKey(sharedSecret(this.serverKey.privateKey, clientEphemeral));
    const payload = this.encrypt(certificates);
    const fields = { 1: this.ephemeral.publicKey, 2: staticKey, 3: payload };
    return { reply: message({ [field.serverHello]: message(fields) }), finished: undefined };
  }

  private answerResumed(hello: Message, certificates: Uint8Array): Answer | undefined {
    const clientEphemeral = hello.need(1);
    this.begin(patterns.resumed);
    this.mixHash(this.serverKey.publicKey);
    this.mixHash(clientEphemeral);
    this.mixKey(sharedSecret(this.serverKey.privateKey, clientEphemeral));
    let clientKey: Buffer;
    try {
      clientKey = this.decrypt(hello.need(2));
    } catch {
      return undefined; // The frame is encrypted for another key.
    }
    this.mixKey(sharedSecret(this.serverKey.privateKey, clientKey));
    const payload = new Message(this.decrypt(hello.need(3)));
    this.mixHash(this.ephemeral.publicKey);
    this.mixKey(sharedSecret(this.ephemeral.privateKey, clientEphemeral));
    this.mixKey(sharedSecret(this.ephemeral.privateKey, clientKey));
    const fields = { 1: this.ephemeral.publicKey, 3: this.encrypt(certificates) };
    const finished = { clientKey, payload, transport: this.split() };
    return { reply: message({ [field.serverHello]: message(fields) }), finished };
  }

  /** Reads the client's second frame. Throws if the client does not have the keys. */
  finish(frame: Uint8Array): Finished {
    const finish = open(frame, field.clientFinish);
    const clientKey = this.decrypt(finish.need(1));
    this.mixKey(sharedSecret(this.ephemeral.privateKey, clientKey));
    const payload = new Message(this.decrypt(finish.need(2)));
    return { clientKey, payload, transport: this.split() };
  }

  private begin(pattern: Buffer): void {
    this.hash = pattern;
    this.chainingKey = pattern;
    this.key = pattern;
    this.counter = 0;
    this.mixHash(introduction);
  }

  private split(): Transport {
    const keys = hkdf(Buffer.alloc(0), 64, "", this.chainingKey);
    return new Transport(keys.subarray(32), keys.subarray(0, 32));
  }

  private mixHash(data: Uint8Array): void {
    this.hash = sha256(this.hash, data);
  }

  private mixKey(secret: Uint8Array): void {
    const keys = hkdf(secret, 64, "", this.chainingKey);
    this.chainingKey = keys.subarray(0, 32);
    this.key = keys.subarray(32);
    this.counter = 0;
  }

  private encrypt(plain: Uint8Array): Buffer {
    const sealed = encryptGcm(this.key, nonce(this.counter++), plain, this.hash);
    this.mixHash(sealed);
    return sealed;
  }

  private decrypt(sealed: Uint8Array): Buffer {
    const plain = decryptGcm(this.key, nonce(this.counter++), sealed, this.hash);
    this.mixHash(sealed);
    return plain;
  }
}

/** Encrypts and decrypts the frames after the handshake. */
export class Transport {
  private sent = 0;
  private received = 0;

  constructor(
    private readonly writeKey: Buffer,
    private readonly readKey: Buffer,
  ) {}

  encrypt(plain: Uint8Array): Buffer {
    return encryptGcm(this.writeKey, nonce(this.sent++), plain);
  }

  decrypt(sealed: Uint8Array): Buffer {
    return decryptGcm(this.readKey, nonce(this.received++), sealed);
  }
}

function open(frame: Uint8Array, number: number): Message {
  return new Message(new Message(frame).need(number));
}

function nonce(counter: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(counter, 8);
  return iv;
}
