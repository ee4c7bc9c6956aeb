// Permissions of every operation of the catalogue, for people: each role, and the protection of
// sessions.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { at, call, rows, SCOPES, sessionRows, type Ids, type Row } from "./support/catalogue.ts";
import { shop, type Account } from "./support/account.ts";
import { Gateway } from "./support/gateway.ts";
import { person, PersonClient } from "./support/people.ts";

// The scopes of each role in its account: docs/catalogue.md.
const scopesOf: Record<string, readonly string[]> = {
  owner: SCOPES,
  operator: SCOPES.filter((scope) => scope !== "account:manage"),
  viewer: ["messages:read", "campaigns:read", "account:read"],
};
const roles = [...Object.keys(scopesOf), "administrator"];

let gateway: Gateway;
let own: Account;
let other: Account;
let ids: Ids;
let foreign: Ids;
const people: Record<string, PersonClient> = {};

async function furnished(): Promise<{ account: Account; ids: Ids }> {
  const { account, device } = await shop(gateway);
  const message = "019a8f5e-7c1b-7d3a-9f20-5b1e6a4c8d70";
  const id = { account: account.id, device, message, callback: message, key: account.keyId };
  return { account, ids: id };
}

beforeAll(async () => {
  gateway = await Gateway.create();
  ({ account: own, ids } = await furnished());
  ({ account: other, ids: foreign } = await furnished());
  for (const role of roles) {
    const flags = role === "administrator" ? ["--admin"] : ["--account", own.id, "--role", role];
    const who = await person(gateway, `${role}@toko.example`, ...flags);
    people[role] = await PersonClient.signedIn(gateway, who);
  }
});
afterAll(() => gateway.close());

/** A call with a wrong form; an allowed caller gets a refusal of the form. */
function malformed(row: Row, of: Ids): [string, string, unknown?] {
  const path = at(row.path, of).replace("/v1", "");
  const asks =
    row.method === "GET" || row.method === "DELETE" || row.node.requestBody?.content["text/csv"];
  return asks ? [row.method, `${path}?colour=red`] : [row.method, path, { colour: 1 }];
}

const ofAccount = (row: Row) => row.scope !== null && row.scope !== "admin";

describe.each(rows)("$name", (row) => {
  test.each(roles)("by one who is %s", async (role) => {
    const may = role === "administrator" || scopesOf[role]!.includes(row.scope ?? "");
    const answer = await people[role]!.ask(...malformed(row, ids));
    expect(answer.status, answer.text).toBe(may || row.scope === null ? 400 : 403);
    if (answer.status === 403) expect(answer.json.code).toBe("forbidden");
  });

  test("changes nothing where the change-protection is missing", async () => {
    if (row.method === "GET") return;
    for (const role of roles) {
      const bare = { "x-merpati-request": "" };
      const [method, path, body] = malformed(row, ids);
      const answer = await people[role]!.ask(method, path, body, bare);
      expect(answer.status, answer.text).toBe(403);
    }
  });

  test("never says whether another account's object exists", async () => {
    if (!ofAccount(row) || !row.path.includes("{")) return;
    if (/^\/v1\/(contacts|suppressions)/.test(row.path)) return; // The number is anybody's.
    const nobodys = { ...foreign, account: "acc_999", device: "6289900099000", key: "key_999" };
    const asked = async (of: Ids) => {
      const path = at(row.path, of).replace("/v1", "");
      const { status, text } = await people["owner"]!.ask(row.method, path);
      return `${status} ${Object.values(of).reduce((all, id) => all.replaceAll(id, "ID"), text)}`;
    };
    expect(await asked(foreign)).toBe(await asked(nobodys));
  });
});

test("an account of others is one that does not exist", async () => {
  for (const path of ["/devices", "/messages", "/callbacks", "/usage", "/account"]) {
    const answers = await Promise.all(
      [other.id, "acc_999"].map((id) => people["owner"]!.ask("GET", `${path}?account=${id}`)),
    );
    expect(answers.map(({ status }) => status), path).toEqual([404, 404]);
    const [theirs, nobodys] = answers.map(({ text }) => text);
    expect(theirs!.replaceAll(other.id, "ID")).toBe(nobodys!.replaceAll("acc_999", "ID"));
  }
});

const sessionBodies: Record<string, unknown> = {
  "POST /v1/session/password": { password: "ayam berkokok pagi" },
  "POST /v1/session/totp": {},
  "POST /v1/session/totp/confirm": { code: "123456" },
  "POST /v1/session/invitation": { token: "A".repeat(43) },
};

describe.each(sessionRows)("$name", (row) => {
  test("is for a person who is signed in, and no key", async () => {
    const { key } = await own.createKey({ scopes: "admin" });
    const path = row.path.replace("{id}", "1");
    const body = sessionBodies[row.name];
    for (const by of [{}, { key }]) {
      const headers = { "x-merpati-request": "1" };
      const answer = await call(gateway, { ...row, path }, { ...by, headers }, body);
      expect(answer.status).toBe(401);
      expect(answer.json.code).toBe("unauthenticated");
    }
  });

  test("changes nothing where the change-protection is missing", async () => {
    if (row.method === "GET") return;
    const path = row.path.replace("{id}", "1").replace("/v1", "");
    const foreign: Record<string, string>[] = [
      { "x-merpati-request": "" },
      { "sec-fetch-site": "cross-site" },
    ];
    for (const headers of foreign) {
      const answer = await people["owner"]!.ask(row.method, path, undefined, headers);
      expect(answer.status).toBe(403);
    }
    expect((await people["owner"]!.ask("GET", "/session")).status).toBe(200);
  });

  test("takes nothing that is malformed", async () => {
    const path = row.path.replace("{id}", "x").replace("/v1", "");
    const asks = row.method === "GET" || row.method === "DELETE";
    const answer = await people["owner"]!.ask(
      row.method, asks ? `${path}?colour=red` : path, asks ? undefined : "{",
    );
    expect(answer.status).toBe(400);
  });
});

describe("an invitation's link", () => {
  const token = "A".repeat(43);
  const accept = { token, password: "ayam berkokok pagi" };

  test("is not looked at with a key that is wrong", async () => {
    const by = { key: "mk_wrong", headers: { "x-merpati-request": "1" } };
    const shown = { method: "POST", path: "/v1/invitation" };
    const accepted = { method: "POST", path: "/v1/invitation/accept" };
    expect((await call(gateway, shown, by, { token })).status).toBe(401);
    expect((await call(gateway, accepted, by, accept)).status).toBe(401);
  });

  test("is not accepted where the change-protection is missing", async () => {
    const path = { method: "POST", path: "/v1/invitation/accept" };
    expect((await call(gateway, path, {}, accept)).status).toBe(403);
  });
});
