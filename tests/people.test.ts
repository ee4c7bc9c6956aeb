// People: signing in, protection against others, and the log of changes.
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Account } from "./support/account.ts";
import type { Json } from "./support/contract.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber } from "./support/numbers.ts";
import {
  linkOf, person, PersonClient, tokenOf, totpAt, type SomePerson,
} from "./support/people.ts";

let gateway: Gateway;
let account: Account;
let people = 0;

const someone = (...flags: string[]) =>
  person(gateway, `orang${++people}@toko.example`, ...flags);
const owner = () => someone("--account", account.id, "--role", "owner");

const stranger = () => new PersonClient(gateway);
const signedIn = (who: SomePerson) => PersonClient.signedIn(gateway, who);
const linkToken = async (email: string) => tokenOf(await linkOf(gateway, email));

beforeAll(async () => {
  gateway = await Gateway.create();
  account = await gateway.account();
});
afterAll(() => gateway.close());

test("an owner signs in, is told the rights, and signs out", async () => {
  const browser = await signedIn(await owner());
  expect(browser.cookie).toMatch(/^merpati_session=[A-Za-z0-9]{43}$/);
  const shown = await browser.ask("GET", "/session");
  expect(shown.json.memberships).toMatchObject([{ account: account.id, role: "owner" }]);
  expect((await browser.ask("GET", "/keys")).status).toBe(200);
  expect((await browser.ask("GET", "/admin/people")).status).toBe(403);
  const { cookie } = browser;
  expect((await browser.ask("DELETE", "/session")).json).toEqual({ ended: 1 });
  expect((await browser.ask("GET", "/session", undefined, { cookie })).status).toBe(401);
});

describe("guessing", () => {
  test("a stranger learns nothing, and is slowed", async () => {
    const made = await owner();
    const wrong = await stranger().signIn({ ...made, password: "kuda lumping 8" });
    const nobody = { email: "tidak@ada.example", password: "kuda lumping 8" };
    const unknown = await stranger().signIn(nobody);
    expect(wrong.status).toBe(401);
    expect(unknown.text).toBe(wrong.text);
    let answer = wrong;
    for (let n = 0; n < 7 && answer.status === 401; ++n) {
      answer = await stranger().signIn({ ...made, password: `kuda lumping ${n}` });
    }
    expect(answer.status).toBe(429);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    const token = await linkToken(made.email);
    const link = await stranger().ask("POST", "/session/link", { token });
    expect(link.status).toBe(200);
  });
});

test("what strangers send is at most 8 KiB", async () => {
  const made = await owner();
  const filled = (bytes: number) => {
    const body = JSON.stringify({ email: made.email, password: made.password });
    return `${body.slice(0, -1)}${" ".repeat(bytes - body.length)}}`;
  };
  expect((await stranger().ask("POST", "/session", filled(8_192))).status).toBe(200);
  for (const path of ["/session", "/session/link", "/invitation", "/invitation/accept"]) {
    expect((await stranger().ask("POST", path, filled(8_193))).status, path).toBe(413);
  }
});

describe("a session", () => {
  test("is never one that the browser brought along", async () => {
    const made = await owner();
    const token = "a".repeat(43);
    const browser = stranger();
    browser.cookie = `merpati_session=${token}`;
    expect((await browser.signIn(made)).status).toBe(200);
    expect(browser.cookie).not.toContain(token);
    const first = browser.cookie;
    expect((await browser.signIn(made)).status).toBe(200);
    expect(browser.cookie).not.toBe(first);
    const fixed = { cookie: `merpati_session=${token}` };
    expect((await browser.ask("GET", "/session", undefined, fixed)).status).toBe(401);
    // The cookie's name for https is not valid over http.
    const other = { cookie: `__Host-${browser.cookie}` };
    expect((await browser.ask("GET", "/session", undefined, other)).status).toBe(401);
  });

  test("survives the death of the gateway, and the end of another is kept", async () => {
    const made = await owner();
    const kept = await signedIn(made);
    const ended = await signedIn(made);
    expect((await kept.ask("DELETE", "/sessions/others")).json.ended).toBe(1);
    await gateway.kill();
    await gateway.start();
    expect((await kept.ask("GET", "/session")).status).toBe(200);
    expect((await ended.ask("GET", "/session")).status).toBe(401);
  });

  test("changes nothing for a page of another site", async () => {
    const browser = await signedIn(await owner());
    const keys = async () => (await browser.ask("GET", "/keys")).json.items.length;
    const before = await keys();
    const foreign: Record<string, string>[] = [
      { "x-merpati-request": "" },
      { "x-merpati-request": "0" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of foreign) {
      for (const [method, path, body] of [
        ["POST", "/keys", { name: "x" }],
        ["DELETE", "/session", undefined],
        ["DELETE", "/keys/key_1", undefined],
      ] as const) {
        const answer = await browser.ask(method, path, body, headers);
        expect(answer.status, `${method} ${JSON.stringify(headers)}`).toBe(403);
      }
    }
    const made = await owner();
    const outside = await stranger().ask("POST", "/session", made, { "x-merpati-request": "" });
    expect(outside.status).toBe(403);
    expect(outside.headers["set-cookie"]).toBeUndefined();
    const token = await linkToken(made.email);
    const linked = (headers = {}) => stranger().ask("POST", "/session/link", { token }, headers);
    expect((await linked({ "x-merpati-request": "" })).status).toBe(403);
    expect((await linked()).status).toBe(200);
    expect(await keys()).toBe(before);
  });

  test("is worth what its person may do at that moment", async () => {
    const made = await owner();
    const browser = await signedIn(made);
    expect((await browser.ask("GET", "/keys")).status).toBe(200);
    await gateway.json("user", "set", made.email, "--account", account.id, "--role", "viewer");
    expect((await browser.ask("GET", "/keys")).status).toBe(403);
    expect((await browser.ask("GET", `/devices?account=${account.id}`)).status).toBe(200);
    await gateway.json("user", "set", made.email, "--account", account.id, "--role", "none");
    expect((await browser.ask("GET", `/devices?account=${account.id}`)).status).toBe(403);
    await gateway.json("user", "remove", made.email);
    expect((await browser.ask("GET", "/session")).status).toBe(401);
  });
});

describe("a link", () => {
  test("signs in once, however many use it at once", async () => {
    const made = await owner();
    const url = await linkOf(gateway, made.email);
    expect(url).toMatch(new RegExp(`^${gateway.url}/app/sign-in#[A-Za-z0-9]{43}$`));
    const token = tokenOf(url);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => stranger().ask("POST", "/session/link", { token })),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(7);
    const again = await stranger().ask("POST", "/session/link", { token });
    expect(again.status).toBe(401);
  });

  test("lets a person choose a password, and ends the other sessions", async () => {
    const made = await owner();
    const other = await signedIn(made);
    const browser = stranger();
    await browser.ask("POST", "/session/link", { token: await linkToken(made.email) });
    const password = "ayam berkokok pagi";
    gateway.secrets.add(password);
    const choose = (wish: string) => browser.ask("POST", "/session/password", { password: wish });
    expect((await choose("pendek")).status).toBe(400);
    expect((await choose(password)).status).toBe(200);
    expect((await other.ask("GET", "/session")).status).toBe(401);
    expect((await stranger().signIn(made)).status).toBe(401);
    expect((await stranger().signIn({ ...made, password })).status).toBe(200);
  });
});

test("a second factor is asked for, and each code works once", async () => {
  const made = await owner();
  const browser = await signedIn(made);
  const begun = await browser.ask("POST", "/session/totp", { current: made.password });
  expect(begun.status).toBe(200);
  const { secret } = begun.json;
  gateway.secrets.add(secret);
  const confirm = await browser.ask("POST", "/session/totp/confirm", {
    code: totpAt(secret, Date.now()),
  });
  expect(confirm.status).toBe(200);
  const [recovery] = confirm.json.recovery_codes;
  gateway.secrets.add(recovery);
  expect((await stranger().signIn(made)).json.code).toBe("totp_required");
  expect((await stranger().signIn(made, "000000")).json.code).toBe("unauthenticated");
  // The code of the next time step is not used yet.
  const next = totpAt(secret, Date.now() + 30_000);
  expect((await stranger().signIn(made, next)).status).toBe(200);
  expect((await stranger().signIn(made, next)).status).toBe(401);
  expect((await stranger().signIn(made, recovery.toUpperCase())).status).toBe(200);
  expect((await stranger().signIn(made, recovery)).status).toBe(401);
});

test("the log says who changed what, by which door, and what it was", async () => {
  const made = await owner();
  const browser = await signedIn(made);
  const number = freshNumber();
  await gateway.json("device", "add", account.id, number);
  expect((await browser.ask("PATCH", `/devices/${number}`, { per_day_max: 7 })).status).toBe(200);
  expect((await browser.ask("POST", `/devices/${number}/disconnect`)).status).toBe(200);
  const log = await browser.ask("GET", `/account/log?object=${number}`);
  expect(log.json.items).toMatchObject([
    { operation: "POST /v1/devices/{}/disconnect", actor: { kind: "person", name: made.email } },
    {
      operation: "PATCH /v1/devices/{}",
      door: "network",
      actor: { kind: "person", id: null, name: made.email },
      before: { per_day_max: null },
      after: { per_day_max: 7 },
    },
    { operation: "POST /v1/devices", door: "socket", actor: { kind: "local" }, before: null },
  ]);
  expect((await browser.ask("GET", "/admin/log")).status).toBe(403);
  const admin = await signedIn(await someone("--admin"));
  const whole = await admin.ask("GET", "/admin/log?limit=1000");
  const names = whole.json.items.map((item: Json) => item.operation);
  expect(names).toContain("POST /v1/session");
  for (const secret of gateway.secrets) expect(whole.text).not.toContain(secret);
});

test("a password that comes slowly through a pipe is read to its end", async () => {
  const slowly = async function* () {
    yield "ayam berkokok";
    await pause(2_500); // Longer than the command waits for a first byte.
    yield " di pagi hari\n";
  };
  const made = { email: "lambat@toko.example", password: "ayam berkokok di pagi hari" };
  gateway.secrets.add(made.password);
  const { code, stderr } = await gateway.cliWith(
    Readable.from(slowly()), "user", "create", made.email, "--admin",
  );
  expect(code, stderr).toBe(0);
  expect((await stranger().signIn(made)).status).toBe(200);
});

test("a person is made while the server is stopped, and signs in later", async () => {
  await gateway.stop();
  const made = await gateway.json("user", "create", "diam@toko.example", "--admin");
  expect(made.password).toMatch(/^[a-z2-9-]{23}$/);
  gateway.secrets.add(made.password);
  await gateway.start();
  expect((await stranger().signIn(made)).status).toBe(200);
});
