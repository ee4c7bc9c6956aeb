// The webhook of the official platform: who may report, on what, and what arrives exactly once.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BusinessNumber } from "./graph/number.ts";
import { sign } from "./graph/webhooks.ts";
import type { Account } from "./support/account.ts";
import { Cloud } from "./support/cloud.ts";
import type { Sent } from "./support/callback_shop.ts";
import { expectSchema } from "./support/contract.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

const path = "/v1/platform/cloud";
const bodyMax = 3_145_728;
let cloud: Cloud;

beforeAll(async () => {
  cloud = await Cloud.open({ settings: { "cloud.status_wait": "60s" } });
});
afterAll(() => cloud.close());

const post = (body: string | Buffer, signature?: string, gateway = cloud.gateway) =>
  gateway.request({
    method: "POST",
    path,
    headers: {
      "content-type": "application/json",
      ...(signature !== undefined && { "x-hub-signature-256": signature }),
    },
    body,
  });
const signed = (body: string | Buffer, secret = cloud.graph.secret) =>
  post(body, sign(body, secret));

const challenge = (query: Record<string, string>, gateway = cloud.gateway) =>
  gateway.request({ method: "GET", path: `${path}?${new URLSearchParams(query)}` });

/** A post about a number. */
const about = (number: BusinessNumber, value: object, more: object[] = []) =>
  JSON.stringify({
    object: "whatsapp_business_account",
    entry: [
      {
        id: number.waba,
        changes: [
          ...more,
          {
            field: "messages",
            value: {
              messaging_product: "whatsapp",
              metadata: { display_phone_number: number.digits, phone_number_id: number.id },
              ...value,
            },
          },
        ],
      },
    ],
  });
const failure = (id: string, opaque?: string) => ({
  statuses: [
    {
      id,
      status: "failed",
      timestamp: String(Math.floor(Date.now() / 1000)),
      recipient_id: "6281234567890",
      ...(opaque && { biz_opaque_callback_data: opaque }),
      errors: [{ code: 131026, title: "Message undeliverable" }],
    },
  ],
});

/** A message that waits for its status. */
async function waiting(from = cloud.number): Promise<{ sent: Sent; id: string }> {
  const to = freshNumber();
  cloud.graph.scripts.add({ to, statuses: [] });
  const sent = await cloud.send(to, from);
  await cloud.until(sent.id, "handed_over");
  return { sent, id: cloud.graph.of(sent.message)[0]!.id };
}

const received = (number = cloud.number) => cloud.events(number, "message.received");

test("the challenge is answered for the verify token alone", async () => {
  const good = { "hub.mode": "subscribe", "hub.verify_token": cloud.verifyToken };
  const answer = await challenge({ ...good, "hub.challenge": "1158201444" });
  expect([answer.status, answer.text]).toEqual([200, "1158201444"]);
  expect(answer.headers["content-type"]).toMatch(/^text\/plain/);
  for (const wrong of [
    { ...good, "hub.verify_token": "salah" },
    { ...good, "hub.verify_token": "" },
    { ...good, "hub.mode": "unsubscribe" },
    { "hub.mode": "subscribe" },
  ]) {
    const refused = await challenge({ "hub.challenge": "1", ...wrong } as Record<string, string>);
    expect(refused.status).toBe(403);
  }
});

test("without secret and verify token: 503, 403, and doctor says so", async () => {
  const bare = await Gateway.create();
  expect((await post("{}", sign("{}", ""), bare)).status).toBe(503);
  const empty = { "hub.mode": "subscribe", "hub.verify_token": "", "hub.challenge": "1" };
  expect((await challenge(empty, bare)).status).toBe(403);
  const account = await bare.account();
  await account.createKey();
  await bare.close();
});

test("doctor names a number whose webhooks nobody can verify", async () => {
  const blind = await Cloud.open({ secret: false });
  const { stdout } = await blind.cli("doctor");
  expect(stdout).toContain("cloud.app_secret_file");
  const { stdout: fine } = await cloud.cli("doctor");
  expect(fine).not.toContain("cloud.app_secret_file");
  await blind.close();
});

test("a post with a wrong signature, or none, is refused and counts nothing", async () => {
  const { sent, id } = await waiting();
  const body = about(cloud.number, failure(id));
  const genuine = sign(body, cloud.graph.secret);
  const others = [
    sign(body, "salah"),
    sign(`${body} `, cloud.graph.secret),
    genuine.replace("sha256=", "sha1="),
    genuine.slice(0, -2),
    genuine.replace("sha256=", ""),
    "sha256=",
  ];
  for (const signature of others) expect((await post(body, signature)).status).toBe(401);
  expect((await post(body)).status).toBe(401);
  expect((await post("bukan json", "sha256=00")).status).toBe(401);
  expect(await cloud.state(sent.id)).toBe("handed_over");
  expect((await post(body, genuine)).status).toBe(200);
  expect(await cloud.end(sent)).toMatchObject({ status: "failed", code: 1001 });
});

test("what makes no sense is answered with 200, and the rest of the post counts", async () => {
  expect((await signed("bukan json")).status).toBe(200);
  expect((await signed(Buffer.from([0xff, 0xfe, 0x00]))).status).toBe(200);
  for (const odd of ["{}", "[]", "null", '{"entry":7}', '{"entry":[{"changes":[{"value":[]}]}]}']) {
    expect((await signed(odd)).status).toBe(200);
  }
  const { sent, id } = await waiting();
  const strange = [
    { field: "account_update", value: { event: "PARTNER_ADDED" } },
    { field: "messages", value: { metadata: { phone_number_id: "1" }, ...failure(id) } },
    {
      field: "messages",
      value: {
        metadata: { phone_number_id: cloud.number.id },
        statuses: [{ id, status: "pondered" }, { id: 7 }, null],
        messages: [{ id: "wamid.x", from: "6281", type: "hologram", hologram: {} }, 7],
      },
    },
  ];
  const body = about(cloud.number, { ...failure(id), moon: "full" }, strange);
  expect((await signed(body)).status).toBe(200);
  expect(await cloud.end(sent)).toMatchObject({ status: "failed", code: 1001 });
});

test("a post may have 3,145,728 bytes, and no more", async () => {
  const { sent, id } = await waiting();
  const body = about(cloud.number, failure(id));
  const full = body + " ".repeat(bodyMax - body.length);
  const larger = await signed(`${full} `);
  expect(larger.status).toBe(413);
  expect(await cloud.state(sent.id)).toBe("handed_over");
  expect((await signed(full)).status).toBe(200);
  expect(await cloud.end(sent)).toMatchObject({ code: 1001 });
});

test("nobody reports on the message of another account", async () => {
  const { sent, id } = await waiting();
  const thief = await cloud.gateway.account();
  await thief.createKey();
  const secret = "rahasia-pencuri";
  cloud.gateway.secrets.add(secret);
  const file = ["--app-secret-file", cloud.write("thief", secret)];
  const number = await cloud.connect({ secret }, thief, ...file);
  await waitFor("the secret to be known", async () => (await signed("{}", secret)).status === 200);
  const bodies: [body: string, secret: string][] = [
    [about(cloud.number, failure(id, sent.id)), secret],
    [about(number, failure(id)), secret],
    [about(number, failure("wamid.lain", sent.id)), secret],
    [about(number, failure(id, sent.id)), secret],
  ];
  for (const [body, by] of bodies) expect((await signed(body, by)).status).toBe(200);
  // A message of the thief comes after all of these, and ends.
  const own = await waitingOf(thief, number);
  expect((await signed(about(number, failure(own.id)), secret)).status).toBe(200);
  expect(await cloud.end(own.sent)).toMatchObject({ code: 1001 });
  expect(await cloud.state(sent.id)).toBe("handed_over");
  // A forged inbound message of the victim's number counts as little.
  const text = freshText();
  const inbound = { from: freshNumber(), id: "wamid.palsu", timestamp: "1", type: "text" };
  const forged = about(cloud.number, { messages: [{ ...inbound, text: { body: text } }] });
  expect((await signed(forged, secret)).status).toBe(200);
  cloud.graph.report(cloud.graph.of(sent.message)[0]!, "delivered");
  expect(await cloud.end(sent)).toMatchObject({ status: "sent", code: 200 });
  expect(received().some((message) => message.text === text)).toBe(false);
});

async function waitingOf(account: Account, number: BusinessNumber) {
  const to = freshNumber();
  cloud.graph.scripts.add({ to, statuses: [] });
  const sent = await cloud.send(to, number, account);
  await cloud.until(sent.id, "handed_over");
  return { sent, id: cloud.graph.of(sent.message)[0]!.id };
}

test("a stranger without the secret costs little, and does not keep the platform out", async () => {
  const tenant = await cloud.gateway.account();
  await tenant.createKey();
  for (const secret of ["rahasia-satu", "rahasia-dua", "rahasia-tiga", "rahasia-empat"]) {
    cloud.gateway.secrets.add(secret);
    await cloud.connect({ secret }, tenant, "--app-secret-file", cloud.write(secret, secret));
  }
  const headers = { "x-hub-signature-256": sign("{}", "salah") };
  const body = Buffer.alloc(bodyMax, " ");
  const flood = async () => {
    for (let posts = 0; posts < 60; ++posts) {
      const from = "127.0.0.2";
      const { status } = await cloud.gateway.request({ method: "POST", path, headers, body, from });
      if (status === 503) return posts;
      expect(status).toBe(401);
    }
    return Infinity;
  };
  expect((await signed("{}")).status).toBe(200);
  const floods = Promise.all([flood(), flood()]);
  const { sent, id } = await waiting();
  expect((await signed(about(cloud.number, failure(id)))).status).toBe(200);
  expect(await cloud.end(sent)).toMatchObject({ status: "failed", code: 1001 });
  for (const posts of await floods) expect(posts).toBeLessThan(60);
  const { status } = await cloud.gateway.request({
    method: "POST",
    path,
    headers: { "x-hub-signature-256": sign("{}", cloud.graph.secret) },
    body: "{}",
    from: "127.0.0.2",
  });
  expect(status).toBe(503);
  expect((await signed("{}")).status).toBe(200);
});

test("an inbound text is told once, however often it is posted, and after kill -9", async () => {
  const other = await Cloud.open();
  const text = freshText("masuk");
  const from = freshNumber();
  const id = other.graph.receive(other.number, { from, type: "text", content: { body: text } });
  const told = () =>
    other.events(other.number, "message.received").filter((message) => message.text === text);
  await waitFor("the text", () => told().length > 0);
  expect(told()[0]).toMatchObject({ from, type: "text", text });
  const { json } = other.sink
    .at(`/${other.number.digits}`)
    .find(({ json: { data } }) => data.text === text)!;
  expectSchema("DeviceEvent", json);
  await other.gateway.kill();
  await other.gateway.start();
  other.graph.webhooks.doubled = true;
  other.graph.receive(other.number, { from, id, type: "text", content: { body: text } });
  const last = freshText("akhir");
  other.graph.receive(other.number, { from, type: "text", content: { body: last } });
  await waitFor("the last", () =>
    other.events(other.number, "message.received").some((message) => message.text === last),
  );
  expect(told()).toHaveLength(1);
  await other.close();
});

test("while the gateway is away nothing inbound is lost", async () => {
  const other = await Cloud.open();
  const text = freshText("masuk");
  await other.gateway.kill();
  const from = freshNumber();
  other.graph.receive(other.number, { from, type: "text", content: { body: text } });
  await waitFor("a post without an answer", () => other.graph.webhooks.posts.length > 0);
  await other.gateway.start();
  await waitFor("the text", () =>
    other.events(other.number, "message.received").some((message) => message.text === text),
  );
  await other.close();
});

test("somebody without a number is named by the platform's user id", async () => {
  const text = freshText("tanpa nomor");
  const userId = "ID.13491208655302741918";
  cloud.graph.receive(cloud.number, { userId, type: "text", content: { body: text } });
  await waitFor("the text", () => received().some((message) => message.text === text));
  expect(received().find((message) => message.text === text).from).toBe(userId);
});

test.each([
  ["button", { payload: "p1", text: "Ya, kirim" }, "Ya, kirim"],
  ["interactive", { type: "button_reply", button_reply: { id: "b1", title: "Setuju" } }, "Setuju"],
  [
    "interactive",
    { type: "list_reply", list_reply: { id: "l1", title: "Ukuran L", description: "besar" } },
    "Ukuran L",
  ],
])("a reply by %s is a text with its title", async (type, content, title) => {
  const from = freshNumber();
  cloud.graph.receive(cloud.number, { from, type, content });
  const reply = () => received().find((message) => message.from === from);
  await waitFor("the reply", reply);
  expect(reply()).toMatchObject({ type: "text", text: title });
});

test("typing is shown through the last inbound message, and without one nothing is", async () => {
  const to = freshNumber();
  const message = freshText();
  const body = { to, from: cloud.number.digits, message, Type: "text", typing: true };
  expect((await cloud.account.send(body)).status).toBe(200);
  await cloud.taken(message);
  expect(cloud.graph.typing).toEqual([]);
  const content = { body: freshText() };
  cloud.graph.receive(cloud.number, { from: to, type: "text", content });
  const last = cloud.graph.receive(cloud.number, { from: to, type: "text", content });
  await cloud.graph.webhooks.settled();
  const again = { ...body, message: freshText() };
  expect((await cloud.account.send(again)).status).toBe(200);
  await cloud.taken(again.message);
  expect(cloud.graph.typing).toMatchObject([{ status: "read", message_id: last }]);
  await cloud.gateway.stop();
  await cloud.gateway.start();
  const after = { ...body, message: freshText() };
  expect((await cloud.account.send(after)).status).toBe(200);
  await cloud.taken(after.message);
  expect(cloud.graph.typing.map(({ message_id: id }: any) => id)).toEqual([last, last]);
});
