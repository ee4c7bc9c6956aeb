// A caller's rights are asked where they are used: after a probe as before it, at a retry, for keys
// and people alike.
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { call, keyWith, SCOPES } from "./support/catalogue.ts";
import { expectRefused, rows } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { MediaShop } from "./support/media_shop.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { person, PersonClient } from "./support/people.ts";
import { waitFor } from "./support/wait.ts";

let media: MediaShop;
let gateway: Gateway;
beforeAll(async () => {
  media = await MediaShop.open({ settings: { "http.threads": 1 } });
  gateway = media.gateway;
});
afterAll(() => media.close());

const count = async (account: Account) =>
  (await gateway.json("message", "list", "--account", account.id)).length;

describe("a send whose file is probed meanwhile", () => {
  /** Sends media whose host never answers; `change` happens during the probe. */
  async function probed(account: Account, device: string, change: () => Promise<unknown>) {
    const url = media.host.put({ hang: true });
    const reply = account.send({ to: freshNumber(), from: device, Type: "media", url });
    await waitFor("the probe", () => media.host.requests(url).length > 0);
    await change();
    return reply;
  }

  test("is refused if its key is revoked, stored nowhere and not charged", async () => {
    const { account, device } = await shop(gateway, { credits: 5 });
    const reply = await probed(account, device, () =>
      gateway.json("key", "revoke", account.keyId),
    );
    expectRefused(reply, rows.key);
    expect(await count(account)).toBe(0);
    expect((await gateway.json("account", "show", account.id)).credit).toBe(5);
  });

  test("is refused if its account's validity ends", async () => {
    const { account, device } = await shop(gateway);
    const reply = await probed(account, device, () =>
      gateway.json("account", "set", account.id, "--expires", "2020-01-01T00:00:00Z"),
    );
    expectRefused(reply, rows.expired);
    expect(await count(account)).toBe(0);
  });

  test("is accepted if nothing changes", async () => {
    const { account, device } = await shop(gateway);
    expect((await probed(account, device, async () => {})).status).toBe(200);
    expect(await count(account)).toBe(1);
  });
});

test("a retry is told and counted as what is accepted", async () => {
  const { account, device } = await shop(gateway);
  const key = await keyWith(account, SCOPES);
  const body = { to: freshNumber(), from: device, message: freshText(), Type: "text" };
  const { requestId } = (await account.send({ ...body, to: "62812" })).json.data;
  const failed = { method: "GET", path: `/v1/messages/${requestId}` };
  await waitFor("the failure", async () => {
    return (await call(gateway, failed, { key })).json.state === "failed";
  });
  const accepted = async () => {
    const { text } = await gateway.request({ method: "GET", path: "/metrics" });
    const lines = [...text.matchAll(/^merpati_messages_accepted_total\{[^}]*\} (\d+)$/gm)];
    return lines.reduce((sum, [, number]) => sum + Number(number), 0);
  };
  const before = await accepted();
  let events = "";
  const stream = request(`${gateway.url}/v1/events`, {
    headers: { authorization: `Bearer ${key}` },
  }, (answer) => answer.on("data", (piece) => (events += piece)));
  stream.on("error", () => {});
  stream.end();
  await waitFor("the stream", () => events.includes("retry: 3000"));
  const path = `/v1/messages/${requestId}/retry`;
  const retried = await call(gateway, { method: "POST", path }, { key });
  expect(retried.status, retried.text).toBe(200);
  await waitFor("the event", () => events.includes(retried.json.id));
  expect(await accepted()).toBe(before + 1);
  stream.destroy();
});

test("keys and people of an account whose validity is over only read there", async () => {
  const { account, device } = await shop(gateway);
  const flags = ["--account", account.id, "--role", "owner"];
  const who = await person(gateway, "ani@ex.example", ...flags);
  const ani = await PersonClient.signedIn(gateway, who);
  const key = await keyWith(account, SCOPES);
  await gateway.json("account", "set", account.id, "--expires", "2020-01-01T00:00:00Z");
  const byKey = (method: string, path: string, body?: unknown) =>
    call(gateway, { method, path: `/v1${path}` }, { key }, body);
  const byPerson = (method: string, path: string, body?: unknown) => ani.ask(method, path, body);
  for (const ask of [byKey, byPerson]) {
    for (const path of ["/messages", "/devices", "/account", "/callbacks"]) {
      expect((await ask("GET", path)).status, path).toBe(200);
    }
    for (const [method, path, body] of [
      ["POST", "/devices", { number: freshNumber() }],
      ["POST", "/keys", { name: "x" }],
      ["POST", `/devices/${device}/pause`, {}],
      ["GET", "/keys", undefined],
      ["GET", "/account/log", undefined],
    ] as const) {
      const refused = await ask(method, path, body);
      expect(refused.status, `${method} ${path}`).toBe(403);
      expect(refused.json.code).toBe("account_expired");
    }
  }
  expect((await ani.ask("GET", "/session")).json.memberships[0].scopes).toEqual([
    "messages:read",
    "campaigns:read",
    "account:read",
  ]);
});

test("an expired account does not bind people in their other accounts", async () => {
  const { account: over } = await shop(gateway);
  const { account: valid } = await shop(gateway);
  const flags = ["--account", over.id, "--role", "owner"];
  const budi = await person(gateway, "budi@ex.example", ...flags);
  await gateway.json("user", "set", budi.email, "--account", valid.id, "--role", "owner");
  const client = await PersonClient.signedIn(gateway, budi);
  await gateway.json("account", "set", over.id, "--expires", "2020-01-01T00:00:00Z");
  const add = (account: Account) =>
    client.ask("POST", "/devices", { account: account.id, number: freshNumber() });
  expect((await add(valid)).status).toBe(200);
  const refused = await add(over);
  expect(refused.status).toBe(403);
  expect(refused.json.code).toBe("account_expired");
});

test("a page of another site cannot use a visitor's cookie, not even for a GET", async () => {
  const { account, device } = await shop(gateway);
  const flags = ["--account", account.id, "--role", "operator"];
  const who = await person(gateway, "cici@ex.example", ...flags);
  const client = await PersonClient.signedIn(gateway, who);
  const path = `/devices/${device}/recipient?number=6281234567890`;
  for (const site of ["cross-site", "same-site"]) {
    const refused = await client.ask("GET", path, undefined, { "sec-fetch-site": site });
    expect(refused.status).toBe(403);
  }
  expect((await client.ask("GET", path)).json.number).toBe("6281234567890");
});

test("every answer forbids browsers to guess its type", async () => {
  const paths = ["/healthz", "/v1/messages", "/v1/errors", "/openapi.yaml", "/metrics", "/nothing"];
  for (const path of paths) {
    const { headers } = await gateway.request({ method: "GET", path });
    expect(headers["x-content-type-options"], path).toBe("nosniff");
  }
  const reply = await media.account.post("/v1/send", "{");
  expect(reply.headers["x-content-type-options"]).toBe("nosniff");
});

test("a backup is written for the machine's operator alone", async () => {
  const key = await keyWith(media.account, ["admin"]);
  for (const method of ["GET", "POST"]) {
    const row = { method, path: "/v1/admin/backup" };
    const body = method === "POST" ? { file: "/x" } : undefined;
    const refused = await call(gateway, row, { key }, body);
    expect(refused.status).toBe(404);
  }
});

test("adding a device by the published operation is logged with its request's id", async () => {
  const { account } = await shop(gateway);
  const key = await keyWith(account, ["account:manage"]);
  const device = freshNumber();
  const reply = await account.addDevice({ device }, { headers: { "x-request-id": "kasir-7" } });
  expect(reply.status).toBe(200);
  const log = await call(gateway, { method: "GET", path: "/v1/account/log" }, { key });
  expect(log.json.items[0]).toMatchObject({
    operation: "POST /v1/device/addnew",
    object: device,
    request_id: "kasir-7",
  });
});
