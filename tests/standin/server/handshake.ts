// The server's side of the Noise handshake XX; both sides have a key for each direction after it.
//
//   client            server
//   e            -->
//                <--  e, ee, s, es, the certificates
//   s, se, what
//   it wants     -->
import { makeKeyPair, sharedSecret, type KeyPair } from "../crypto/curve.ts";
import { decryptGcm, encryptGcm, hkdf, sha256 } from "../crypto/ciphers.ts";
import { introduction } from "../wire/frames.ts";
import { Message, message } from "../wire/protobuf.ts";

const pattern = Buffer.from("Noise_XX_25519_AESGCM_SHA256\0\0\0\0");
const field = { clientHello: 2, serverHello: 3, clientFinish: 4 };

/** What a client proved and said. */
export interface Finished {
  clientKey: Buffer;
  payload: Message;
  transport: Transport;
}

export class Handshake {
  private hash: Buffer = pattern;
  private chainingKey: Buffer = pattern;
  private key: Buffer = pattern;
  private counter = 0;
  private readonly ephemeral = makeKeyPair();

  constructor(private readonly serverKey: KeyPair) {
    this.mixHash(introduction);
  }

  /** Answers the client's first frame. */
  answer(hello: Uint8Array, certificates: Uint8Array): Buffer {
    const clientEphemeral = open(hello, field.clientHello).need(1);
    this.mixHash(clientEphemeral);
    this.mixHash(this.ephemeral.publicKey);
    this.mixKey(sharedSecret(this.ephemeral.privateKey, clientEphemeral));
    const staticKey = this.encrypt(this.serverKey.publicKey);
    this.mixKey(sharedSecret(this.serverKey.privateKey, clientEphemeral));
    const payload = this.encrypt(certificates);
    return message({
      [field.serverHello]: message({ 1: this.ephemeral.publicKey, 2: staticKey, 3: payload }),
    });
  }

  /** Reads the client's second frame. Throws when the client does not have the keys. */
  finish(frame: Uint8Array): Finished {
    const finish = open(frame, field.clientFinish);
    const clientKey = this.decrypt(finish.need(1));
    this.mixKey(sharedSecret(this.ephemeral.privateKey, clientKey));
    const payload = new Message(this.decrypt(finish.need(2)));
    const keys = hkdf(Buffer.alloc(0), 64, "", this.chainingKey);
    const transport = new Transport(keys.subarray(32), keys.subarray(0, 32));
    return { clientKey, payload, transport };
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

/** The frames after the handshake. */
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
