// Callbacks: signed, repeated until they are received, and never sent into private networks.
import { beforeAll, describe, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { openShop } from "./support/callback_shop.ts";
import { certificates } from "./support/certificates.ts";
import { expectSchema } from "./support/contract.ts";
import { expectAccepted, expectRefused, rows } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { expectSigned, isSigned, sign } from "./support/signature.ts";
import { Sink, type Received } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let sink: Sink;
let account: Account;
let device: string;

beforeAll(async () => {
  const opened = await openShop();
  ({ gateway, sink, account, device } = opened);
  return opened.close;
});

/** Sends a text whose callback goes to this address; resolves with the requestId. */
async function send(callbackStatus: string, from = device, by = account): Promise<string> {
  const body = { to: freshNumber(), from, message: freshText(), Type: "text", callbackStatus };
  return expectAccepted(await by.send(body));
}

/** The callback of a request, as the command line lists it. */
async function listed(requestId: string): Promise<any> {
  const list = await gateway.json("callback", "list", "--limit", "1000");
  return list.find((callback: unknown) => JSON.stringify(callback).includes(requestId));
}

const seconds = (first: Received, second: Received) => (second.at - first.at) / 1000;

test("our own verification agrees with the published test vector", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const body = '{"test": 2432232314}';
  const signature = sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body);
  expect(signature).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("a callback is signed with the account's secret, and with no other", async () => {
  const id = await send(sink.url("/signed"));
  const callback = await sink.request("/signed");
  expectSchema("DeliveryStatus", callback.json);
  expect(callback.json.requestId).toBe(id);
  expectSigned(account.webhookSecret, callback.headers, callback.body);
  expect(callback.headers["webhook-id"]).toMatch(/^[0-9a-f-]{36}$/);
  expect(Math.abs(Number(callback.headers["webhook-timestamp"]) * 1000 - callback.at)).toBeLessThan(
    5000,
  );
  expect(callback.headers["content-type"]).toMatch(/^application\/json/);
  const other = await gateway.account();
  expect(other.webhookSecret).not.toBe(account.webhookSecret);
  expect(isSigned(other.webhookSecret, callback.headers, callback.body)).toBe(false);
});

test("a name is resolved, and its certificate checked against it", async () => {
  const local = await Gateway.create({
    settings: {
      "outbound.ca_file": certificates().caFile,
      "outbound.allow": ["127.0.0.0/8", "::1/128"],
    },
  });
  try {
    const { account: by, device: from } = await shop(local);
    await send(sink.url("/named", "localhost"), from, by);
    expect((await sink.request("/named")).headers["host"]).toBe(`localhost:${sink.port}`);
  } finally {
    await local.close();
  }
});

test("any 2xx is enough, whatever the body", async () => {
  sink.on("/2xx", () => ({ status: 299, body: "<html>terima kasih" }));
  const id = await send(sink.url("/2xx"));
  await sink.request("/2xx");
  await waitFor("it to be delivered", async () => (await listed(id))?.state === "delivered");
  expect(sink.at("/2xx")).toHaveLength(1);
});

test("a 2xx whose body never ends is enough, too", async () => {
  sink.on("/short", () => ({ status: 200, headers: { "content-length": "100" }, body: "abc" }));
  const id = await send(sink.url("/short"));
  await waitFor("it to be delivered", async () => (await listed(id))?.state === "delivered");
  expect(sink.at("/short")).toHaveLength(1);
});

test.concurrent("after a 500 it comes again in about 5 s: the same, signed afresh", async () => {
  sink.on("/retry", (attempt) => ({ status: attempt === 1 ? 500 : 200 }));
  await send(sink.url("/retry"));
  const [first, second] = (await sink.requests("/retry", 2)) as [Received, Received];
  expect(seconds(first, second)).toBeGreaterThan(3);
  expect(seconds(first, second)).toBeLessThan(9);
  expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
  expect(second.body).toBe(first.body);
  expect(second.headers["webhook-timestamp"]).not.toBe(first.headers["webhook-timestamp"]);
  for (const one of [first, second]) expectSigned(account.webhookSecret, one.headers, one.body);
});

test.concurrent("a receiver that does not answer within 10 s is asked again", async () => {
  const hanging = await Sink.open(); // Callbacks of the tests beside it do not wait for it.
  hanging.on("/hang", (attempt) => ({ status: 200, hang: attempt === 1 }));
  await send(hanging.url("/hang"));
  const [first, second] = (await hanging.requests("/hang", 2, 30_000)) as [Received, Received];
  expect(seconds(first, second)).toBeGreaterThan(12);
  expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
  await hanging.close();
});

test.concurrent("Retry-After is honoured", async () => {
  sink.on("/later", (attempt) =>
    attempt === 1 ? { status: 503, headers: { "retry-after": "9" } } : { status: 200 },
  );
  await send(sink.url("/later"));
  const [first, second] = (await sink.requests("/later", 2, 25_000)) as [Received, Received];
  expect(seconds(first, second)).toBeGreaterThanOrEqual(8.9);
});

test.concurrent("410 ends it; callback replay sends it once more", async () => {
  sink.on("/gone", (attempt) => ({ status: attempt === 1 ? 410 : 200 }));
  const id = await send(sink.url("/gone"));
  await sink.request("/gone");
  const gone = await waitFor("state gone", async () => {
    const callback = await listed(id);
    return callback?.state === "gone" ? callback : undefined;
  });
  await gateway.json("callback", "replay", gone.id);
  const [first, second] = (await sink.requests("/gone", 2)) as [Received, Received];
  expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
  await waitFor("state delivered", async () => (await listed(id))?.state === "delivered");
});

test.concurrent("while the secret is changed a callback is signed with both", async () => {
  const { account: by, device: from } = await shop(gateway);
  const rotated = await gateway.json("account", "secret", "rotate", by.id, "--overlap", "5s");
  gateway.secrets.add(rotated.webhook_secret);
  expect(rotated.webhook_secret).not.toBe(by.webhookSecret);
  await send(sink.url("/both"), from, by);
  const both = await sink.request("/both");
  expect(both.headers["webhook-signature"]!.split(" ")).toHaveLength(2);
  for (const secret of [by.webhookSecret, rotated.webhook_secret]) {
    expectSigned(secret, both.headers, both.body);
  }
  const after = await waitFor("a callback with one signature", async () => {
    await send(sink.url("/after"), from, by);
    await sink.requests("/after", sink.at("/after").length || 1);
    return sink.at("/after").find((one) => !one.headers["webhook-signature"]!.includes(" "));
  });
  expectSigned(rotated.webhook_secret, after.headers, after.body);
  expect(isSigned(by.webhookSecret, after.headers, after.body)).toBe(false);
});

test.concurrent("a redirect is not followed", async () => {
  sink.on("/moved", (attempt) =>
    attempt === 1
      ? { status: 307, headers: { location: sink.url("/elsewhere") } }
      : { status: 200 },
  );
  await send(sink.url("/moved"));
  await sink.requests("/moved", 2, 20_000);
  expect(sink.at("/elsewhere")).toEqual([]);
});

test("a dead receiver does not delay another's callbacks", async () => {
  sink.on("/dead", () => ({ status: 200, hang: true }));
  const dead = await Sink.open();
  dead.on("/", () => ({ status: 200, hang: true }));
  try {
    for (let count = 0; count < 20; count += 1) await send(dead.url("/"));
    const start = Date.now();
    await send(sink.url("/alive"));
    await sink.request("/alive");
    expect(Date.now() - start).toBeLessThan(4000);
  } finally {
    await dead.close();
  }
});

test("a callback that was not received outlives a kill, with the same id", async () => {
  sink.on("/killed", (attempt) => ({ status: attempt === 1 ? 500 : 200 }));
  await send(sink.url("/killed"));
  const first = await sink.request("/killed");
  await gateway.kill();
  await gateway.start();
  const all = await sink.requests("/killed", 2, 30_000);
  expect(all[1]!.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
  expect(all[1]!.body).toBe(first.body);
});

describe("what is not let through", () => {
  test("a certificate of an unknown authority", async () => {
    const strict = await Gateway.create();
    try {
      const { account: by, device: from } = await shop(strict);
      const id = await send(sink.url("/untrusted"), from, by);
      await waitFor("the attempt to fail", async () => {
        const list = await strict.json("callback", "list");
        return list.find((one: any) => JSON.stringify(one).includes(id) && one.attempts >= 1);
      });
      expect(sink.at("/untrusted")).toEqual([]);
    } finally {
      await strict.close();
    }
  });

  test("a certificate of another name", async () => {
    const id = await send(sink.url("/misnamed", "127.0.0.2"));
    await waitFor("the attempt to fail", async () => (await listed(id))?.attempts >= 1);
    expect(sink.at("/misnamed")).toEqual([]);
  });

  test("http, unless the operator allows it for development", async () => {
    const body = { to: freshNumber(), from: device, message: freshText(), Type: "text" };
    const plain = await Sink.open({ secure: false });
    expectRefused(await account.send({ ...body, callbackStatus: plain.url("/") }), rows.callback);
    const lenient = await Gateway.create({
      settings: { "outbound.allow_http_callbacks": true },
    });
    try {
      const { account: by, device: from } = await shop(lenient);
      await send(plain.url("/allowed"), from, by);
      await plain.request("/allowed");
    } finally {
      await lenient.close();
      await plain.close();
    }
  });

  test("this machine's own addresses, unless the operator allows them", async () => {
    const strict = await Gateway.create({
      settings: { "outbound.ca_file": certificates().caFile, "outbound.allow": [] },
    });
    try {
      const { account: by, device: from } = await shop(strict);
      const body = { to: freshNumber(), from, message: freshText(), Type: "text" };
      for (const host of ["127.0.0.1", "localhost"]) {
        const reply = await by.send({ ...body, callbackStatus: sink.url("/private", host) });
        expectRefused(reply, rows.callback);
      }
      expect(sink.at("/private")).toEqual([]);
    } finally {
      await strict.close();
    }
  });
});

test("proxies of the environment are ignored", async () => {
  const proxy = await Sink.open({ secure: false });
  const url = proxy.url("");
  const proxied = await Gateway.create({
    settings: { "outbound.ca_file": certificates().caFile },
    environment: { http_proxy: url, https_proxy: url, HTTPS_PROXY: url, ALL_PROXY: url },
  });
  try {
    const { account: by, device: from } = await shop(proxied);
    await send(sink.url("/direct"), from, by);
    await sink.request("/direct");
    expect(proxy.received).toEqual([]);
  } finally {
    await proxied.close();
    await proxy.close();
  }
});
