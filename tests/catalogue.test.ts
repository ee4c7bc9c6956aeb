// Permissions of every operation of the catalogue, for keys over the network. Nobody may see data
// of another account.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import {
  SCOPES, at, call, exampleBody, exampleQuery, isOfPeople, isUpload, keyWith, rows, type Ids,
  type Row,
} from "./support/catalogue.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let own: Account;
let other: Account;
let ownIds: Ids;
let otherIds: Ids;
let whole: string; // A key with every scope but admin.
let admin: string;

const nobodys: Ids = {
  account: "acc_999",
  device: "6289900099000",
  message: "019a8f5e-7c1b-7d3a-9f20-5b1e6a4c8d70",
  callback: "019a8f5e-7c1b-7d3a-9f20-5b1e6a4c8d71",
  key: "key_999",
  campaign: "cmp_999",
};

/** An account with one of each resource; its callback cannot be delivered, and waits. */
async function furnished(): Promise<{ account: Account; ids: Ids }> {
  const { account, device } = await shop(gateway, { callback: "https://nowhere.invalid/status" });
  const body = { to: freshNumber(), from: device, message: freshText(), Type: "text" };
  expectAccepted(await account.send(body));
  const callbacks = async () =>
    (await gateway.json("callback", "list", "--account", account.id)) as { id: string }[];
  await waitFor("the callback", async () => (await callbacks()).length > 0);
  const draft = { name: "Promo", devices: [device], consent: "Formulir" };
  const key = await keyWith(account, SCOPES);
  const made = await call(gateway, { method: "POST", path: "/v1/campaigns" }, { key }, draft);
  expect(made.status, made.text).toBe(200);
  return {
    account,
    ids: {
      account: account.id,
      device,
      message: expectAccepted(await account.send({ ...body, delay: 9_000 })),
      callback: (await callbacks())[0]!.id,
      key: account.keyId,
      campaign: made.json.id,
    },
  };
}

/** Operations with a body whose parameters are in the query. */
const takesQuery = (row: Row): boolean => isUpload(row) || row.path === "/v1/listmonk";

const keysWithout = new Map<string, Promise<string>>();

/** A key with every scope except this one and admin. */
function keyWithout(scope: string): Promise<string> {
  const known = keysWithout.get(scope);
  if (known) return known;
  const others = SCOPES.filter((other) => other !== scope);
  const made = keyWith(own, others);
  keysWithout.set(scope, made);
  return made;
}

beforeAll(async () => {
  gateway = await Gateway.create();
  ({ account: own, ids: ownIds } = await furnished());
  ({ account: other, ids: otherIds } = await furnished());
  whole = await keyWith(own, SCOPES);
  admin = await keyWith(own, ["admin"]);
});
afterAll(() => gateway.close());

describe.each(rows)("$name", (row) => {
  test("is for nobody who has shown nothing, or what opens nothing", async () => {
    const path = at(row.path, ownIds);
    for (const by of [{}, { key: "mpt_wrong" }, { headers: { authorization: "Basic eA==" } }]) {
      const answer = await call(gateway, { ...row, path }, by, exampleBody(row));
      expect(answer.status).toBe(401);
      expect(answer.json.code).toBe("unauthenticated");
    }
  });

  test("is for the scope that it names alone", async () => {
    if (row.scope === null) return;
    const key = await keyWithout(row.scope);
    const refused = new Set<string>();
    for (const ids of [ownIds, otherIds, nobodys]) {
      const path = at(row.path, ids);
      const answer = await call(gateway, { ...row, path }, { key }, exampleBody(row));
      expect(answer.status).toBe(403);
      expect(answer.json.detail).toBe(`this needs the scope ${row.scope}`);
      refused.add(answer.text);
    }
    expect(refused.size).toBe(1);
  });

  test("answers another account's object as one that does not exist", async () => {
    const named = row.node.parameters?.some((p: any) => p.$ref?.endsWith("/Account"));
    if (row.scope === "admin" || (!row.path.includes("{") && !named)) return;
    if (row.path.includes("{") && isOfPeople(row)) return;
    const ask = async (ids: Ids) => {
      const query = row.path.includes("{") ? exampleQuery(row) : `?account=${ids.account}`;
      const path = at(row.path, ids) + query;
      const answer = await call(gateway, { ...row, path }, { key: whole }, exampleBody(row));
      const shown = Object.values(ids).reduce((text, id) => text.replaceAll(id, "ID"), answer.text);
      return `${answer.status} ${shown}`;
    };
    const foreign = await ask(otherIds);
    expect(foreign).toMatch(/^404 /);
    expect(foreign).toBe(await ask(nobodys));
  });

  test("takes nothing that is malformed, and never fails of it", async () => {
    const asks = row.method === "GET" || row.method === "DELETE" || takesQuery(row);
    const bodies = asks
      ? [takesQuery(row) ? "{" : undefined]
      : ["[]", "{", '{"colour":1}', '{"colour":1,"colour":2}', "\u0000", "[".repeat(20_000)];
    const cursors = row.path.endsWith("/templates") // Theirs are the platform's, of any form.
      ? []
      : ["?cursor=", "?cursor=AAAAAAAAAAAA"];
    const queries = asks ? ["?colour=red", "?limit=0&colour=", "?%zz", ...cursors, "?=&="] : [""];
    for (const key of [whole, admin]) {
      if (key === whole && row.scope === "admin") continue;
      for (const body of bodies) {
        for (const query of queries) {
          const path = at(row.path, ownIds) + query;
          const answer = await call(gateway, { ...row, path }, { key }, body);
          expect(answer.status, `${path} ${body}`).toBe(400);
        }
      }
      if (!asks) {
        const path = at(row.path, ownIds);
        const bytes = row.path === "/v1/messages/bulk" ? 8 * 1024 * 1024 + 1 : 70_000;
        const answer = await call(gateway, { ...row, path }, { key }, "x".repeat(bytes));
        expect(answer.status).toBe(413);
      }
    }
  });

  test("takes no parameters at the wrong place, where they would be ignored", async () => {
    if (takesQuery(row)) return;
    const asks = row.method === "GET" || row.method === "DELETE";
    const key = row.scope === "admin" ? admin : whole;
    const path = at(row.path, ownIds);
    const [query, body] = asks ? ["", { account: "acc_1" }] : ["?account=acc_1", exampleBody(row)];
    const answer = await call(gateway, { ...row, path: path + query }, { key }, body);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.json.detail).toContain(asks ? "take no body" : "take a query");
  });

  test("takes ids of any form without failing", async () => {
    if (!row.path.includes("{")) return;
    const ids = ["0", "-1", "acc_0", "key_0", "%00", "%ff", "%2f", "a".repeat(3_000), "'--", "*"];
    for (const id of ids) {
      const path = row.path.replace(/\{\w+\}/, id);
      const answer = await call(gateway, { ...row, path }, { key: whole }, exampleBody(row));
      expect([400, 403, 404], `${path} ${answer.text}`).toContain(answer.status);
    }
  });
});

test("a resource is sent when it has changed, and changed when it is as it was seen", async () => {
  const path = `/v1/devices/${ownIds.device}`;
  const get = { method: "GET", path };
  const etag = (await call(gateway, get, { key: whole })).headers["etag"]!;
  const with_ = (name: string, value: string) => ({ key: whole, headers: { [name]: value } });
  const unchanged = await call(gateway, get, with_("if-none-match", etag));
  expect(unchanged.status).toBe(304);
  expect(unchanged.text).toBe("");
  const change = { method: "PATCH", path };
  const changed = await call(gateway, change, with_("if-match", etag), { gap_ms: 5 });
  expect(changed.status).toBe(200);
  for (const tag of [etag, `W/${etag}`, '"x"', "x", "", ",", etag.slice(0, -1), `${etag}${etag}`]) {
    for (const method of ["PATCH", "DELETE"]) {
      const late = await call(gateway, { method, path }, with_("if-match", tag), undefined);
      expect(late.status, `${method} ${tag}`).toBe(412);
    }
    expect((await call(gateway, get, with_("if-none-match", tag))).status).toBe(200);
  }
  const next = changed.headers["etag"]!;
  expect((await call(gateway, change, with_("if-match", next), { gap_ms: 0 })).status).toBe(200);
});

test("problems are told in the reader's language; their codes stay", async () => {
  const get = { method: "GET", path: `/v1/devices/${nobodys.device}` };
  const told = async (language?: string) => {
    const headers: Record<string, string> = language ? { "accept-language": language } : {};
    const { status, json, headers: got } = await call(gateway, get, { key: whole, headers });
    expect(got["vary"]).toBe("Accept-Language");
    expect([status, json.code]).toEqual([404, "not_found"]);
    return [got["content-language"], json.title, json.detail];
  };
  const english = ["en", "Not Found", `there is no device ${nobodys.device}`];
  expect(await told()).toEqual(english);
  expect(await told("en-GB,en;q=0.9,id;q=0.5")).toEqual(english);
  const indonesian = ["id", "Tidak Ditemukan", `tidak ada perangkat ${nobodys.device}`];
  expect(await told("id-ID,id;q=0.9,en;q=0.8")).toEqual(indonesian);

  const by = { key: whole, headers: { "accept-language": "id" } };
  const add = { method: "POST", path: "/v1/devices" };
  const { json } = await call(gateway, add, by, { number: "12" });
  expect(json.errors[0].message).toMatch(/^harus nomor telepon/);
  expect(json.detail).toBe(`'number' ${json.errors[0].message}`);
  const unknown = await call(gateway, add, { headers: { "accept-language": "id" } }, {});
  expect(unknown.json.title).toBe("Belum Masuk");
  const path = `/v1/devices/${ownIds.device}/disconnect`;
  const down = await call(gateway, { method: "POST", path }, by);
  expect(down.json).toMatchObject({
    state_reason: "Diputuskan atas permintaan",
    state_reason_code: "requested",
  });
  const shown = { method: "GET", path: `/v1/devices/${ownIds.device}` };
  const inEnglish = await call(gateway, shown, { key: whole });
  expect(inEnglish.json.state_reason).toBe("Disconnected on request");
  await call(gateway, { ...add, path: path.replace("disconnect", "connect") }, { key: whole });
});

test("another account's object has no ETag to be tried", async () => {
  for (const ids of [otherIds, nobodys]) {
    for (const method of ["PATCH", "DELETE", "GET"]) {
      const by = { key: whole, headers: { "if-match": '"x"', "if-none-match": "*" } };
      const path = `/v1/devices/${ids.device}`;
      expect((await call(gateway, { method, path }, by)).status).toBe(404);
    }
  }
});

test("a call that is repeated with its Idempotency-Key is carried out once", async () => {
  const post = { method: "POST", path: "/v1/keys" };
  const by = { key: whole, headers: { "idempotency-key": "rabu-1" } };
  const body = { name: "satu", scopes: ["messages:read"] };
  const first = await call(gateway, post, by, body);
  gateway.secrets.add(first.json.key);
  await gateway.stop();
  await gateway.start();
  const again = await call(gateway, post, by, body);
  expect(again.headers["idempotent-replayed"]).toBe("true");
  const { key: _, ...kept } = first.json;
  expect(again.json).toEqual(kept);
  expect((await call(gateway, post, by, { ...body, name: "dua" })).status).toBe(422);
  const otherKey = await keyWith(other, SCOPES);
  const theirs = await call(gateway, post, { ...by, key: otherKey }, body);
  gateway.secrets.add(theirs.json.key);
  expect(theirs.json.account).toBe(other.id);
});

test("lists hold the caller's own, and are paged with cursors that nobody can change", async () => {
  for (let turn = 0; turn < 4; ++turn) {
    const body = { to: freshNumber(), from: ownIds.device, message: freshText(), Type: "text" };
    expectAccepted(await own.send({ ...body, delay: 9_000 }));
  }
  const list = { method: "GET", path: "/v1/messages?limit=2" };
  const first = await call(gateway, list, { key: whole });
  expect(first.json.items).toHaveLength(2);
  expect(first.headers["link"]).toBe(
    `</v1/messages?limit=2&cursor=${first.json.next}>; rel="next"`,
  );
  const next = /<(.*)>/.exec(first.headers["link"]!)![1]!;
  const second = await call(gateway, { ...list, path: next }, { key: whole });
  expect(second.json.items).toHaveLength(2);
  const seen = [...first.json.items, ...second.json.items];
  expect(new Set(seen.map((item: any) => item.id)).size).toBe(4);
  expect(new Set(seen.map((item: any) => item.account))).toEqual(new Set([own.id]));
  const cursor: string = first.json.next;
  for (const changed of [
    cursor.slice(1),
    cursor.slice(0, -1),
    `${cursor}A`,
    cursor.replace(/.$/, (c) => (c === "A" ? "B" : "A")),
    seen[0].id,
  ]) {
    const path = `/v1/messages?cursor=${changed}`;
    expect((await call(gateway, { method: "GET", path }, { key: whole })).status).toBe(400);
  }
  const elsewhere = { method: "GET", path: `/v1/callbacks?cursor=${cursor}` };
  expect((await call(gateway, elsewhere, { key: whole })).status).toBe(400);
});

test("an administrator's key sees all accounts, and what is the server's", async () => {
  const all = await call(gateway, { method: "GET", path: "/v1/devices" }, { key: admin });
  expect(new Set(all.json.items.map((item: any) => item.account))).toEqual(
    new Set([own.id, other.id]),
  );
  const list = { method: "GET", path: "/v1/admin/accounts" };
  const accounts = await call(gateway, list, { key: admin });
  expect(accounts.json.items).toHaveLength(2);
});

test("a key is revoked over the network, at once", async () => {
  const made = await call(gateway, { method: "POST", path: "/v1/keys" }, { key: whole }, {
    scopes: ["messages:read"],
  });
  gateway.secrets.add(made.json.key);
  const list = { method: "GET", path: "/v1/messages" };
  expect((await call(gateway, list, { key: made.json.key })).status).toBe(200);
  const path = `/v1/keys/${made.json.id}`;
  const ended = await call(gateway, { method: "DELETE", path }, { key: whole });
  expect(ended.json.state).toBe("revoked");
  expect((await call(gateway, list, { key: made.json.key })).status).toBe(401);
});

test("what the catalogue does not have is refused in its shape", async () => {
  const refused = await call(gateway, { method: "PUT", path: `/v1/devices/${ownIds.device}` });
  expect(refused.status).toBe(405);
  expect(refused.headers["allow"]).toBe("GET, HEAD, PATCH, DELETE");
  expect(refused.json.code).toBe("method_not_allowed");
  for (const method of ["GET", "POST"]) {
    const path = `/v1/devices/${ownIds.device}/export`; // On the management socket alone.
    expect((await call(gateway, { method, path })).status).toBe(404);
  }
});

test("many calls of one account wait; those of its neighbour and the operator do not", async () => {
  const neighbour = await keyWith(other, ["messages:read"]);
  const list = { method: "GET", path: "/v1/messages?limit=1000" };
  let flooding = true;
  const codes = new Set<number>();
  const floods = Array.from({ length: 60 }, async () => {
    while (flooding) codes.add((await call(gateway, list, { key: whole })).status);
  });
  for (let turn = 0; turn < 20; ++turn) {
    expect((await call(gateway, list, { key: neighbour })).status).toBe(200);
    expect(await gateway.json("account", "show", other.id)).toMatchObject({ id: other.id });
  }
  flooding = false;
  await Promise.all(floods);
  expect([...codes].sort()).toEqual([200, 429]);
});
