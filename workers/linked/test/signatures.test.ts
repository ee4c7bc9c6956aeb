import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { beforeAll, expect, test } from "vitest";
import { queueJob } from "../src/baileys/job_queue.js";
import { verifySignature } from "../src/platform/xeddsa.js";

type Baileys = typeof import("baileys");
let baileys: Baileys;
let testSignatures: () => Promise<void>;

beforeAll(async () => {
  replaceJobQueue();
  const { checkCertificates, repairSignatures } = await import("../src/baileys/signatures.js");
  repairSignatures();
  baileys = await import("baileys");
  checkCertificates(baileys.proto as never);
  ({ testSignatures } = await import("../src/baileys/self_test.js"));
});

/// Does in the module cache what the build does in the bundle.
function replaceJobQueue(): void {
  const require = createRequire(import.meta.url);
  const file = require.resolve("libsignal/src/queue_job.js");
  require(file);
  require.cache[file]!.exports = queueJob;
}

test("a wrong signature is refused where the released check accepts it", () => {
  const { Curve } = baileys;
  const pair = Curve.generateKeyPair();
  const message = randomBytes(32);
  expect(Curve.verify(pair.public, message, Curve.sign(pair.private, message))).toBe(true);
  expect(Curve.verify(pair.public, message, Buffer.alloc(64))).toBe(false);
});

test("good signatures of many keys are all accepted, and none that was changed", () => {
  const { Curve } = baileys;
  for (let count = 1; count <= 100; count++) {
    const pair = Curve.generateKeyPair();
    const message = randomBytes(count);
    const signature = Buffer.from(Curve.sign(pair.private, message));
    expect(Curve.verify(pair.public, message, signature)).toBe(true);
    signature[count % 64]! ^= 1 << (count % 8);
    expect(Curve.verify(pair.public, message, signature)).toBe(false);
  }
});

test("what is no key and no signature is refused", () => {
  const { Curve } = baileys;
  const message = randomBytes(8);
  const pair = Curve.generateKeyPair();
  const signature = Curve.sign(pair.private, message);
  expect(verifySignature(pair.public, message, signature.subarray(1))).toBe(false);
  expect(verifySignature(pair.public.subarray(1), message, signature)).toBe(false);
  expect(verifySignature(Buffer.alloc(32, 0xff), message, signature)).toBe(false);
  expect(verifySignature(Buffer.alloc(32), message, Buffer.alloc(64))).toBe(false);
});

test("the self-test passes with the repaired checks", async () => {
  await expect(testSignatures()).resolves.toBeUndefined();
});

test("a certificate that another issuer signed is refused", () => {
  const { Curve, proto } = baileys;
  const details = proto.CertChain.NoiseCertificate.Details;
  const server = Curve.generateKeyPair();
  const chain = proto.CertChain.encode({
    leaf: {
      details: details.encode({ key: server.public, serial: 2, issuerSerial: 9 }).finish(),
      signature: Buffer.alloc(64),
    },
    intermediate: {
      details: details.encode({ key: server.public, serial: 1, issuerSerial: 0 }).finish(),
      signature: Buffer.alloc(64),
    },
  }).finish();
  Curve.sharedKey(Curve.generateKeyPair().private, server.public);
  expect(() => proto.CertChain.decode(chain)).toThrow("another issuer");
});
