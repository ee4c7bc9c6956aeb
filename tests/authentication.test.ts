// Authentication: every fault of a key gets the same answer.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectRefused, rows } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let account: Account;
let device: string;

beforeAll(async () => {
  gateway = await Gateway.create();
  ({ account, device } = await shop(gateway));
});
afterAll(() => gateway.close());

const body = () => ({ to: freshNumber(), from: device, message: freshText(), Type: "text" });

/** Changes a letter in the middle, so that the checksum is wrong. */
function misspelt(key: string): string {
  const letter = key[20] === "a" ? "b" : "a";
  return key.slice(0, 20) + letter + key.slice(21);
}

test("a key has the documented form", () => {
  expect(account.key).toMatch(/^mpt_[0-9A-Za-z]{49}$/);
});

test("every fault of the key is answered alike, on every operation", async () => {
  const revoked = await account.createKey();
  await gateway.json("key", "revoke", revoked.id);
  const headers: (string | null)[] = [
    null,
    "",
    "Bearer",
    "Bearer ",
    `Basic ${account.key}`,
    account.key,
    `Bearer ${account.key}x`,
    `Bearer ${account.key.slice(0, -1)}`,
    `Bearer ${misspelt(account.key)}`,
    `Bearer ${account.key.toLowerCase()}`,
    `Bearer mpt_${"0".repeat(49)}`,
    `Bearer ${"x".repeat(5000)}`,
    `Bearer ${account.key} ${account.key}`,
    `Bearer ${revoked.key}`,
    "Bearer \u00e9",
  ];
  await waitFor(
    "the revocation",
    async () => (await account.send(body(), { key: revoked.key })).status === 401,
  );
  for (const path of ["/v1/send", "/v1/device/addnew"]) {
    for (const authorization of headers) {
      const reply = await account.post(path, body(), {
        key: null,
        headers: authorization === null ? {} : { authorization },
      });
      expectRefused(reply, rows.key);
      expect(Object.keys(reply.headers).filter((name) => name.startsWith("ratelimit"))).toEqual([]);
    }
  }
});

test("the scheme may be written in any case", async () => {
  const reply = await account.send(body(), {
    key: null,
    headers: { authorization: `bearer ${account.key}` },
  });
  expect(reply.status).toBe(200);
});

test("several keys of one account work side by side", async () => {
  const { key } = await account.createKey({ name: "gudang" });
  expect((await account.send(body(), { key })).status).toBe(200);
  expect((await account.send(body())).status).toBe(200);
});

test("a revoked key stops working within a second", async () => {
  const { id, key } = await account.createKey();
  expect((await account.send(body(), { key })).status).toBe(200);
  await gateway.json("key", "revoke", id);
  await waitFor(
    "the revocation",
    async () => (await account.send(body(), { key })).status === 401,
    1000,
  );
});

test("a rotated key works beside its successor until the overlap ends", async () => {
  const old = await account.createKey({ revision: "B" });
  const successor = await gateway.json("key", "rotate", old.id, "--overlap", "3s");
  const ending = Date.now() + 3000;
  gateway.secrets.add(successor.key);
  const pinned = await account.send({ ...body(), pesan: freshText() }, { key: successor.key });
  expect(pinned.status).toBe(200);
  expect(pinned.headers["x-api-revision"]).toBe("B");
  if (Date.now() < ending - 500) {
    expect((await account.send({ ...body(), pesan: freshText() }, { key: old.key })).status).toBe(
      200,
    );
  }
  await waitFor(
    "the overlap's end",
    async () => (await account.send({}, { key: old.key })).status === 401,
    5000,
  );
  expect(
    (await account.send({ ...body(), pesan: freshText() }, { key: successor.key })).status,
  ).toBe(200);
});

test("keys are listed without their secret", async () => {
  const text = JSON.stringify(await gateway.json("key", "list", account.id));
  expect(text).toContain(account.keyId);
  expect(text).not.toContain(account.key);
});

test("a key without the scope cannot send, nor add devices, whatever it sends", async () => {
  const { key } = await account.createKey({ scopes: "messages:read,account:manage" });
  for (const path of ["/v1/send", "/v1/device/addnew"]) {
    for (const bytes of ["{}", "{", "x".repeat(100_000)]) {
      expectRefused(await account.post(path, bytes, { key }), rows.scope);
    }
  }
  const both = await account.createKey({ scopes: "send,messages:read" });
  expect((await account.send(body(), { key: both.key })).status).toBe(200);
});
