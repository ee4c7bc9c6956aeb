// The stand-in refuses wrong signatures and wrong keys.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { makeKeyPair } from "./standin/crypto/curve.ts";
import { verify } from "./standin/crypto/xeddsa.ts";
import { chainFaults, makeChain, type ChainFault } from "./standin/server/certificate.ts";
import { ClientState } from "./standin/testing/client.ts";
import { World } from "./standin/testing/world.ts";
import { Message } from "./standin/wire/protobuf.ts";

const other = "628115000009";
let number = "628115000000";
let begin = 0;
let world: World;

beforeAll(async () => {
  world = await World.create();
  world.standIn.phone(other);
});
beforeEach(() => {
  number = String(Number(number) + 1);
  begin = world.standIn.events.last;
});
afterAll(() => world.end());

function reasons(): unknown[] {
  const violations = world.violations().filter(({ sequence }) => sequence > begin);
  return violations.map(({ reason }) => reason);
}

test("a signed pre-key with a wrong signature", async () => {
  const state = new ClientState();
  state.creds.signedPreKey.signature = randomBytes(64);
  const client = world.client(state);
  expect(await client.closed()).toBe(428);
  expect(reasons()).toEqual(["a wrong signature of a signed pre-key"]);
});

test("an identity that is signed back with another key", async () => {
  const state = new ClientState();
  state.creds.signedIdentityKey.private = makeKeyPair().privateKey;
  const client = world.client(state);
  const scanned = world.standIn.phone(number).scan(await client.qr());
  await expect(scanned).rejects.toThrow("a wrong device signature");
});

test("a QR code with keys of others", async () => {
  const client = world.client();
  const parts = (await client.qr()).split(",");
  for (const at of [1, 2]) {
    const forged = [...parts];
    forged[at] = makeKeyPair().publicKey.toString("base64");
    const scanned = world.standIn.phone(number).scan(forged.join(","));
    await expect(scanned).rejects.toThrow("keys that the client does not have");
  }
});

test("pre-keys of another identity", async () => {
  const client = await world.linked(number);
  const forged = makeKeyPair();
  Object.assign(client.state.creds.signedIdentityKey, {
    public: forged.publicKey,
    private: forged.privateKey,
  });
  void client.raw.uploadPreKeys(5).catch(() => undefined);
  expect(await client.closed()).toBe(428);
  expect(reasons()).toEqual(["pre-keys of another identity"]);
});

test("a session begun with another identity", async () => {
  const client = await world.linked(number);
  const forged = makeKeyPair();
  Object.assign(client.state.creds.signedIdentityKey, {
    public: forged.publicKey,
    private: forged.privateKey,
  });
  const id = await client.text(other, "palsu");
  await world.event("undecryptable", { id, count: 1 });
  expect(world.standIn.phone(other).shown).toEqual([]);
});

test("an identity that the account did not sign", async () => {
  const client = await world.linked(number);
  const account = client.state.creds.account!;
  account.accountSignature = randomBytes(64);
  await client.text(other, "palsu");
  expect(await client.closed()).toBe(428);
  expect(reasons()).toEqual(["an identity that the account did not sign"]);
});

test("the chain of certificates is signed, and each fault breaks what it should", () => {
  const root = makeKeyPair();
  const server = makeKeyPair().publicKey;
  expect(judge(root.publicKey, server)).toEqual([]);
  for (const fault of chainFaults) expect(judge(root.publicKey, server, fault)).toEqual([fault]);

  function judge(rootKey: Buffer, key: Buffer, fault?: ChainFault): ChainFault[] {
    const chain = new Message(makeChain(root, key, fault));
    const [leaf, intermediate] = [chain.message(1)!, chain.message(2)!];
    const inside = intermediate.message(1)!;
    const details = leaf.message(1)!;
    expect([inside.number(2), details.number(2)]).toEqual([0, inside.number(1)]);
    const found: ChainFault[] = [];
    if (!verify(rootKey, intermediate.need(1), intermediate.need(2))) found.push("foreign_root");
    if (!verify(inside.need(3), leaf.need(1), leaf.need(2))) found.push("foreign_leaf");
    if (!details.need(3).equals(key)) found.push("foreign_key");
    if ((details.number(5) ?? 0) < Date.now() / 1000) found.push("expired");
    return found;
  }
});
