// Checks at each start, before any connection, that wrong signatures are refused and that the build
// has replaced the files of released packages that it must replace.
import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import * as released from "libsignal";
import { Curve, generateSignalPubKey, proto, signedKeyPair } from "baileys";

/// Errors: throws, and names the check that failed.
export async function testSignatures(): Promise<void> {
  testVerification();
  await testContactKey();
  testCertificate();
  await testJobQueue();
}

function testVerification(): void {
  const pair = Curve.generateKeyPair();
  const other = Curve.generateKeyPair();
  const message = randomBytes(64);
  const signature = Buffer.from(Curve.sign(pair.private, message));
  const changed = Buffer.from(signature);
  changed[3]! ^= 1;
  expect(Curve.verify(pair.public, message, signature), "a good signature is refused");
  const wrong = [
    Curve.verify(other.public, message, signature),
    Curve.verify(pair.public, randomBytes(64), signature),
    Curve.verify(pair.public, message, changed),
    Curve.verify(pair.public, message, Buffer.alloc(64)),
  ];
  expect(!wrong.includes(true), "a wrong signature is accepted");
}

interface Libsignal {
  SessionBuilder: new (
    store: object,
    address: object,
  ) => { initOutgoing(keys: object): Promise<void> };
  ProtocolAddress: new (name: string, device: number) => object;
  SessionCipher: new (
    store: object,
    address: object,
  ) => { queueJob<T>(job: () => Promise<T>): Promise<T> };
}

const libsignal = released as unknown as Libsignal;

/// A contact's signed key, whose check Baileys tells libsignal to skip.
async function testContactKey(): Promise<void> {
  const identity = Curve.generateKeyPair();
  const signed = signedKeyPair(identity, 1);
  const publicKey = generateSignalPubKey(signed.keyPair.public);
  const store = {
    isTrustedIdentity: () => true,
    loadSession: async () => null,
    storeSession: async () => {},
    getOurIdentity: () => {
      const own = Curve.generateKeyPair();
      return { privKey: own.private, pubKey: Buffer.from(generateSignalPubKey(own.public)) };
    },
  };
  const start = (signature: Uint8Array): Promise<void> =>
    new libsignal.SessionBuilder(store, new libsignal.ProtocolAddress("self-test", 0)).initOutgoing(
      {
        registrationId: 1,
        identityKey: Buffer.from(generateSignalPubKey(identity.public)),
        signedPreKey: { keyId: 1, publicKey, signature },
      },
    );
  await start(signed.signature).catch(() => fail("a contact's good key is refused"));
  const accepted = await start(Buffer.alloc(64)).then(
    () => true,
    () => false,
  );
  expect(!accepted, "a contact's wrong key is accepted");
}

/// A certificate chain that is valid for another server.
function testCertificate(): void {
  const server = Curve.generateKeyPair();
  const details = proto.CertChain.NoiseCertificate.Details;
  const certificate = (key: Uint8Array, serial: number): proto.CertChain.INoiseCertificate => ({
    details: details.encode({ key, serial, issuerSerial: serial - 1 }).finish(),
    signature: Buffer.alloc(64),
  });
  const chain = proto.CertChain.encode({
    leaf: certificate(server.public, 2),
    intermediate: certificate(Curve.generateKeyPair().public, 1),
  }).finish();
  const accepts = (agreedWith: Uint8Array): boolean => {
    Curve.sharedKey(Curve.generateKeyPair().private, agreedWith);
    try {
      proto.CertChain.decode(chain);
      return true;
    } catch {
      return false;
    }
  };
  expect(accepts(server.public), "the platform's own certificate is refused");
  expect(!accepts(Curve.generateKeyPair().public), "another server's certificate is accepted");
}

/// A job runs in the context of its caller, also when another job is ahead of it.
async function testJobQueue(): Promise<void> {
  const caller = new AsyncLocalStorage<number>();
  const address = new libsignal.ProtocolAddress("self-test", 0);
  const ask = (number: number): Promise<number | undefined> => {
    const cipher = new libsignal.SessionCipher({}, address);
    return caller.run(number, () => cipher.queueJob(async () => caller.getStore()));
  };
  const [first, second] = await Promise.all([ask(1), ask(2)]);
  expect(first === 1 && second === 2, "a job runs on behalf of another caller");
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) {
    fail(otherwise);
  }
}

function fail(what: string): never {
  throw new Error(`the checks at the start fail here: ${what}`);
}
