// The request rate of an account, and the answers that report it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop } from "./support/account.ts";
import { expectRefused, rows } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { pause, waitFor } from "./support/wait.ts";

let gateway: Gateway;
beforeAll(async () => void (gateway = await Gateway.create({ settings: { "api.rate": "7/min" } })));
afterAll(() => gateway.close());

const text = (device: string, field = "message") => ({
  to: freshNumber(),
  from: device,
  [field]: freshText(),
  Type: "text",
});

test("over its rate an account gets 429, and is told when to come back", async () => {
  const { account, device } = await shop(gateway, { rate: "3/min" });
  for (let left = 2; left >= 0; left -= 1) {
    const reply = await account.send(text(device));
    expect(reply.status).toBe(200);
    expect(reply.headers["ratelimit-policy"]).toMatch(/^"[a-z]+";q=3;w=60$/);
    expect(reply.headers["ratelimit"]).toMatch(new RegExp(`^"[a-z]+";r=${left};t=[0-9]+$`));
  }
  for (const field of ["message", "pesan"]) {
    const reply = await account.send(text(device, field));
    expectRefused(reply, rows.rate);
    expect(reply.headers["ratelimit"]).toMatch(/^"[a-z]+";r=0;t=[0-9]+$/);
    const seconds = Number(reply.headers["retry-after"]);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(20);
  }
});

test("after Retry-After the next request is let in", async () => {
  const { account, device } = await shop(gateway, { rate: "2/s" });
  const replies = await Promise.all(Array.from({ length: 8 }, () => account.send(text(device))));
  const refused = replies.find((reply) => reply.status === 429);
  expect(refused).toBeDefined();
  await pause(Number(refused!.headers["retry-after"]) * 1000); // The wait that is under test.
  expect((await account.send(text(device))).status).toBe(200);
});

test("a limited account does not slow another", async () => {
  const limited = await shop(gateway, { rate: "1/min" });
  const free = await shop(gateway, { rate: "none" });
  await limited.account.send(text(limited.device));
  expectRefused(await limited.account.send(text(limited.device)), rows.rate);
  const reply = await free.account.send(text(free.device));
  expect(reply.status).toBe(200);
  expect(reply.headers["ratelimit"]).toBeUndefined();
  expect(reply.headers["ratelimit-policy"]).toBeUndefined();
});

test("all keys of an account share its rate", async () => {
  const { account, device } = await shop(gateway, { rate: "1/min" });
  const { key } = await account.createKey();
  expect((await account.send(text(device))).status).toBe(200);
  expectRefused(await account.send(text(device), { key }), rows.rate);
});

test("an account without its own rate has the server's", async () => {
  const { account, device } = await shop(gateway, { rate: "default" });
  const reply = await account.send(text(device));
  expect(reply.headers["ratelimit-policy"]).toMatch(/;q=7;w=60$/);
});

test("a refused request counts as a request", async () => {
  const { account, device } = await shop(gateway, { rate: "1/min" });
  expectRefused(await account.send({ ...text(device), Type: "x" }), rows.type);
  expectRefused(await account.send(text(device)), rows.rate);
});

test("account set changes the rate of the running server at once", async () => {
  const { account, device } = await shop(gateway, { rate: "1/min" });
  await account.send(text(device));
  expectRefused(await account.send(text(device)), rows.rate);
  for (const rate of ["50/s", "3/min", "none", "default", "none"]) {
    await gateway.json("account", "set", account.id, "--rate", rate);
    await waitFor(
      `the rate ${rate}`,
      async () => (await account.send(text(device))).status === 200,
      1000,
    );
  }
});

test("a change of anything else leaves what was used of the rate", async () => {
  const { account, device } = await shop(gateway, { rate: "1/min" });
  await account.send(text(device));
  await gateway.json("account", "set", account.id, "--rate", "1/min", "--credits", "50");
  expectRefused(await account.send(text(device)), rows.rate);
});

test("calls of the catalogue by keys are counted apart from sends", async () => {
  const { account, device } = await shop(gateway, { rate: "3/min" });
  const { key } = await account.createKey({ scopes: "account:read" });
  const show = () =>
    gateway.request({
      method: "GET",
      path: "/v1/account",
      headers: { authorization: `Bearer ${key}` },
    });
  for (let call = 0; call < 7; call += 1) expect((await show()).status).toBe(200);
  const refused = await show();
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.text).code).toBe("too_many_requests");
  expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  expect((await account.send(text(device))).status).toBe(200);
  const other = await shop(gateway, { rate: "3/min" });
  expect((await other.account.send(text(other.device))).status).toBe(200);
});

test("calls of the catalogue count although their bodies are too large", async () => {
  const { account } = await shop(gateway, { rate: "3/min" });
  const { key } = await account.createKey({ scopes: "devices:manage" });
  const add = () =>
    gateway.request({
      method: "POST",
      path: "/v1/devices",
      headers: { authorization: `Bearer ${key}` },
      body: "x".repeat(70_000),
    });
  for (let call = 0; call < 7; call += 1) expect((await add()).status).toBe(413);
  const refused = await add();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
});
