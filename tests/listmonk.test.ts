// POST /v1/listmonk: what a messenger of listmonk posts.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { call, keyWith } from "./support/catalogue.ts";
import type { Json } from "./support/contract.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";

let gateway: Gateway;
let account: Account;
let device: string;
let key: string;
beforeAll(async () => {
  gateway = await Gateway.create();
  ({ account, device } = await shop(gateway));
  key = await keyWith(account, ["send", "messages:read"]);
});
afterAll(() => gateway.close());

const subscriber = (attribs: Json) => ({
  uuid: randomUUID(),
  email: "ani@toko.example.com",
  name: "Ani",
  attribs,
  status: "enabled",
});
const payload = (...recipients: Json[]) => ({
  subject: "Promo",
  content_type: "plain",
  body: freshText(),
  recipients,
  campaign: { uuid: randomUUID(), name: "Promo", headers: [], tags: ["promo"] },
  attachments: null,
});

function post(body: unknown, query = `?from=${device}`, password = key) {
  const authorization = `Basic ${Buffer.from(`listmonk:${password}`).toString("base64")}`;
  gateway.secrets.add(authorization.slice(6));
  const headers = { authorization, "content-type": "application/json", "user-agent": "listmonk" };
  return call(gateway, { method: "POST", path: `/v1/listmonk${query}` }, { headers }, body);
}
async function shown(id: string): Promise<Json> {
  const path = `/v1/messages/${id}?body=true`;
  return (await call(gateway, { method: "GET", path }, { key })).json;
}

test("a message goes to the number in the subscriber's attribute", async () => {
  const to = freshNumber();
  const body = payload(subscriber({ phone: `0${to.slice(2)}`, city: "Bogor" }));
  const sent = await post(body);
  expect(sent.status, sent.text).toBe(200);
  const [id] = sent.json.messages;
  expect(await shown(id)).toMatchObject({ from: device, to, body: body.body, campaign: null });
});

test("the attribute can have another name, and the number can be a number", async () => {
  const to = freshNumber();
  const sent = await post(payload(subscriber({ wa: Number(to) })), `?from=${device}&number=wa`);
  expect((await shown(sent.json.messages[0])).to).toBe(to);
});

test("a repeat for the same campaign and subscriber sends nothing again", async () => {
  const body = payload(subscriber({ phone: freshNumber() }));
  const first = await post(body);
  const again = await post(body);
  expect(again.json).toEqual(first.json);
  const other = await post({ ...body, campaign: { ...body.campaign, uuid: randomUUID() } });
  expect(other.json).not.toEqual(first.json);
});

test("a refused recipient ends the call, and a repeat sends only the rest", async () => {
  const good = subscriber({ phone: freshNumber() });
  const body = payload(good, subscriber({ city: "Bogor" }));
  const refused = await post(body);
  expect(refused.json).toMatchObject({ status: 400, code: "recipient_invalid" });
  const count = async () => (await gateway.json("message", "list", "--account", account.id)).length;
  const before = await count();
  await post(body);
  expect(await count()).toBe(before);
});

test("a key, a device and plain text are needed", async () => {
  const body = payload(subscriber({ phone: freshNumber() }));
  expect((await post(body, `?from=${device}`, "mpt_wrong")).status).toBe(401);
  const reader = await keyWith(account, ["messages:read"]);
  expect((await post(body, `?from=${device}`, reader)).status).toBe(403);
  expect((await post(body, "")).status).toBe(400);
  expect((await post(body, `?from=${freshNumber()}`)).json.code).toBe("sender_invalid");
  expect((await post({ ...body, content_type: "html" })).status).toBe(400);
  expect((await post("{")).status).toBe(400);
});
