// Credit and validity of accounts.
import { beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { openShop } from "./support/callback_shop.ts";
import { expectAccepted, expectRefused, expectSent, rows } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import type { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let sink: Sink;

beforeAll(async () => {
  const opened = await openShop();
  ({ gateway, sink } = opened);
  return opened.close;
});

async function credit(account: Account): Promise<number | null> {
  return (await gateway.json("account", "show", account.id)).credit;
}

const a = (device: string, fields = {}) => ({
  to: freshNumber(),
  from: device,
  message: freshText(),
  Type: "text",
  ...fields,
});
const b = (device: string, fields = {}) => ({
  to: freshNumber(),
  from: device,
  pesan: freshText(),
  Type: "text",
  ...fields,
});

test("each message costs one credit; without any left both revisions answer 402", async () => {
  const { account, device } = await shop(gateway, { credits: 2 });
  expectAccepted(await account.send(a(device)));
  expectSent(await account.send(b(device)));
  expect(await credit(account)).toBe(0);
  expectRefused(await account.send(a(device)), rows.credit);
  expectRefused(await account.send(b(device)), rows.credit);
  expect(await credit(account)).toBe(0);
});

test("an account without a balance is not counted", async () => {
  const { account, device } = await shop(gateway);
  expectAccepted(await account.send(a(device)));
  expect(await credit(account)).toBeNull();
});

test("a topup is seen by the next request, also from 0", async () => {
  const { account, device } = await shop(gateway, { credits: 0 });
  expectRefused(await account.send(a(device)), rows.credit);
  await gateway.json("account", "topup", account.id, "1");
  await waitFor("the topup", async () => (await account.send(a(device))).status === 200, 1000);
  expectRefused(await account.send(a(device)), rows.credit);
});

test("a failed message gives its credit back, once", async () => {
  const { account, device } = await shop(gateway, { credits: 3 });
  const body = { to: simulated("991001"), callbackStatus: sink.url("/refund") };
  expectAccepted(await account.send(a(device, body)));
  await sink.request("/refund");
  expect(await credit(account)).toBe(3);
  expectRefused(await account.send(b(device, { to: simulated("995002") })), rows.failed);
  expect(await credit(account)).toBe(3);
  expectSent(await account.send(b(device)));
  expect(await credit(account)).toBe(2);
  await gateway.restart();
  expect(await credit(account)).toBe(2);
});

test("an impossible recipient gives its credit back too", async () => {
  const { account, device } = await shop(gateway, { credits: 3 });
  expectAccepted(
    await account.send(a(device, { to: "12", callbackStatus: sink.url("/impossible") })),
  );
  await sink.request("/impossible");
  expect(await credit(account)).toBe(3);
});

test("a cancelled message gives its credit back, and never leaves", async () => {
  const { account, device } = await shop(gateway, { credits: 3 });
  const id = expectAccepted(await account.send(a(device, { delay: 18000 })));
  expect(await credit(account)).toBe(2);
  await gateway.json("message", "cancel", id);
  expect(await credit(account)).toBe(3);
  expect(await gateway.json("message", "show", id)).toMatchObject({ state: "cancelled" });
  expect((await gateway.cli("message", "cancel", id)).code).toBe(1);
  expect(await credit(account)).toBe(3);
});

test("the last credits are not spent twice by requests that come together", async () => {
  const { account, device } = await shop(gateway, { credits: 5 });
  const replies = await Promise.all(Array.from({ length: 30 }, () => account.send(a(device))));
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(5);
  expect(replies.filter((reply) => reply.status === 402)).toHaveLength(25);
  expect(await credit(account)).toBe(0);
});

test("the end of validity is 403 in A, 400 in B, and moves with account set", async () => {
  const { account, device } = await shop(gateway);
  expectAccepted(await account.send(a(device)));
  await gateway.json("account", "set", account.id, "--expires", "2020-01-01T00:00:00Z");
  await waitFor("the end", async () => (await account.send(a(device))).status === 403, 1000);
  expectRefused(await account.send(a(device)), rows.expired);
  expectRefused(await account.send(b(device)), rows.expiredB);
  await gateway.json("account", "set", account.id, "--expires", "2099-01-01T00:00:00Z");
  await waitFor("new validity", async () => (await account.send(a(device))).status === 200, 1000);
});

test("keys of an account whose validity is over only read", async () => {
  const { account } = await shop(gateway);
  const { key } = await account.createKey({ scopes: "admin" });
  const ask = (path: string, method = "GET") =>
    gateway.request({ method, path, headers: { authorization: `Bearer ${key}` } });
  expect((await ask("/v1/messages")).status).toBe(200);
  await gateway.json("account", "set", account.id, "--expires", "2020-01-01T00:00:00Z");
  expect((await ask("/v1/account")).status).toBe(200);
  expect((await ask("/v1/devices")).status).toBe(200);
  expect((await ask("/v1/messages")).status).toBe(200);
  for (const [path, method] of [
    ["/v1/keys", "GET"],
    ["/v1/keys", "POST"],
    ["/v1/admin/accounts", "GET"],
  ] as const) {
    const refused = await ask(path, method);
    expect(refused.status, path).toBe(403);
    expect(JSON.parse(refused.text).code).toBe("account_expired");
  }
});

test("validity ends by itself, at its moment", async () => {
  const end = new Date(Math.ceil(Date.now() / 1000) * 1000 + 4000);
  const expires = end.toISOString().replace(".000Z", "Z");
  const { account, device } = await shop(gateway, { expires });
  const reply = await account.send(a(device));
  if (Date.now() < end.getTime()) expectAccepted(reply);
  await waitFor("the end", async () => (await account.send(a(device))).status === 403, 6000);
  expect(Date.now()).toBeGreaterThanOrEqual(end.getTime());
});
