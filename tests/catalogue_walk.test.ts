// Carries out every operation of the catalogue over the network, as a customer's program or the web
// app does, and checks the successful answers against the description.
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { openShop } from "./support/callback_shop.ts";
import { call, keyWith, SCOPES } from "./support/catalogue.ts";
import type { Answer, Json } from "./support/contract.ts";
import { expectAccepted } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import { linkOf, person, PersonClient, tokenOf, totpAt } from "./support/people.ts";
import { onPostgres } from "./support/postgres.ts";
import type { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let sink: Sink;
let account: Account;
let device: string;
let key: string; // With every scope but admin.
let admin: string;

beforeAll(async () => {
  const opened = await openShop();
  ({ gateway, sink, account, device } = opened);
  key = await keyWith(account, SCOPES);
  admin = await keyWith(account, ["admin"]);
  return opened.close;
});

/** One call, which must get the answer 200. */
async function done(
  method: string,
  path: string,
  body?: unknown,
  by: string = key,
): Promise<Answer & { json: Json }> {
  const answer = await call(gateway, { method, path: `/v1${path}` }, { key: by }, body);
  expect(answer.status, `${method} ${path} ${answer.text}`).toBe(200);
  for (const field of ["key", "webhook_secret", "password"]) {
    if (typeof answer.json?.[field] === "string") gateway.secrets.add(answer.json[field]);
  }
  return answer;
}
const asAdmin = (method: string, path: string, body?: unknown) => done(method, path, body, admin);

/** Reads a resource, and checks that a second read with its ETag gets 304. */
async function shown(path: string, by: string = key): Promise<Json> {
  const answer = await done("GET", path, undefined, by);
  const headers = { "if-none-match": answer.headers["etag"]! };
  const again = await call(gateway, { method: "GET", path: `/v1${path}` }, { key: by, headers });
  expect(again.status, path).toBe(304);
  return answer.json;
}

async function sent(more = {}): Promise<string> {
  const body = { to: freshNumber(), from: device, message: freshText(), Type: "text", ...more };
  return expectAccepted(await account.send(body));
}

async function until(id: string, state: string): Promise<void> {
  await waitFor(`${id} to be ${state}`, async () => {
    return (await done("GET", `/messages/${id}`)).json.state === state;
  });
}

test("messages", async () => {
  const cancelled = await sent({ delay: 9_000 });
  expect((await shown(`/messages/${cancelled}`)).waits.for).toBe("due");
  await done("POST", `/messages/${cancelled}/cancel`);
  await until(cancelled, "cancelled");

  const hastened = await sent({ delay: 9_000 });
  await done("POST", `/messages/${hastened}/send-now`);
  await until(hastened, "sent");
  const steps = (await done("GET", `/messages/${hastened}/timeline`)).json.items;
  expect(steps.map((step: Json) => step.step)).toContain("hastened");

  const failed = await sent({ to: "62811" }); // No possible number.
  await until(failed, "failed");
  const retried = (await done("POST", `/messages/${failed}/retry`)).json;
  expect(retried.retry_of).toBe(failed);

  const exported = (await done("GET", "/messages/export")).text.trim().split("\n");
  const ids = exported.map((line) => JSON.parse(line).id);
  expect(ids).toEqual(expect.arrayContaining([cancelled, hastened, failed]));
});

test("a message whose outcome is not known", async () => {
  const careful = await shop(gateway, { credits: 10, delivery: "at-most-once" });
  await careful.account.gateway.restart({ "simulator.latency_ms": 60_000 });
  const from = careful.device;
  const body = () => ({ to: freshNumber(), from, message: freshText(), Type: "text" });
  const held = [
    expectAccepted(await careful.account.send(body())),
    expectAccepted(await careful.account.send(body())),
  ] as const;
  for (const id of held) {
    await waitFor("the send to be under way", async () => {
      return (await asAdmin("GET", `/messages/${id}`)).json.state === "sending";
    });
  }
  await gateway.kill();
  gateway.configure({ "simulator.latency_ms": 5 });
  await gateway.start();
  for (const id of held) {
    await waitFor("it to be held", async () => {
      return (await asAdmin("GET", `/messages/${id}`)).json.state === "held";
    });
  }
  expect((await asAdmin("POST", `/messages/${held[0]}/fail`)).json.state).toBe("failed");
  await asAdmin("POST", `/messages/${held[1]}/release`);
});

test("callbacks", async () => {
  const failing = sink.url("/status");
  sink.on("/status", () => ({ status: 410 }));
  const id = await sent({ callbackStatus: failing });
  const callback = await waitFor("the callback to end", async () => {
    const { items } = (await done("GET", "/callbacks")).json;
    return items.find((item: Json) => item.message === id && item.state === "gone");
  });
  expect((await shown(`/callbacks/${callback.id}`)).state).toBe("gone");
  const attempts = (await done("GET", `/callbacks/${callback.id}/attempts`)).json.items;
  expect(attempts).toMatchObject([{ status: 410 }]);
  const hosts = (await done("GET", "/callbacks/hosts")).json.items;
  expect(hosts.length).toBeGreaterThan(0);
  sink.on("/status", () => ({ status: 200 }));
  await done("POST", `/callbacks/${callback.id}/replay`);
  const replayed = await done("POST", "/callbacks/replay", { state: "delivered" });
  expect(replayed.json.more).toBe(false);
  const tested = await done("POST", "/callbacks/test", { url: sink.url("/tested") });
  expect(tested.json).toMatchObject({ delivered: true, status: 200 });
});

test("devices", async () => {
  const connectors = (await done("GET", "/connectors")).json.items;
  expect(connectors.map((one: Json) => one.name)).toEqual(["cloud", "linked", "simulator"]);
  const number = freshNumber();
  await done("POST", "/devices", { number, gap_ms: 10 });
  const path = `/devices/${number}`;
  expect((await shown(path)).gap_ms).toBe(10);
  await done("PATCH", path, { gap_ms: 20 });
  for (const act of ["disconnect", "connect", "pause"]) await done("POST", `${path}/${act}`);
  const waiting = await sent({ from: number });
  expect((await done("GET", `${path}/queue`)).json).toMatchObject({ waiting: 1 });
  await done("DELETE", `${path}/queue`);
  await until(waiting, "cancelled");
  await done("POST", `${path}/resume`);
  await done("PUT", `${path}/webhook`, { url: "https://toko.example.com/events" });
  expect((await shown(`${path}/webhook`)).url).toBe("https://toko.example.com/events");
  await done("DELETE", `${path}/webhook`);
  await done("DELETE", path);
  expect((await done("GET", "/devices")).json.items.map((item: Json) => item.number)).not.toContain(
    number,
  );
});

test("pairing", async () => {
  const byQr = simulated("992001");
  await done("POST", "/devices", { number: byQr });
  await done("POST", `/devices/${byQr}/pair`, { method: "qr" });
  await waitFor("the code to be shown", async () => {
    const path = `/v1/devices/${byQr}/qr`;
    return (await call(gateway, { method: "GET", path }, { key })).status === 200;
  });
  expect((await done("GET", `/devices/${byQr}/pairing`)).json.number).toBe(byQr);

  const byCode = simulated("992002");
  await done("POST", "/devices", { number: byCode });
  expect((await done("POST", `/devices/${byCode}/pairing-code`)).json.number).toBe(byCode);

  const byOtp = simulated("992003");
  await done("POST", "/devices", { number: byOtp });
  await done("POST", `/devices/${byOtp}/pair`, { method: "otp" });
  await waitFor("the question", async () => {
    return (await done("GET", `/devices/${byOtp}/pairing`)).json.method === "otp";
  });
  await done("POST", `/devices/${byOtp}/pairing/answer`, { answer: "123456" });
});

test("keys, the account and its people", async () => {
  const made = (await done("POST", "/keys", { scopes: ["messages:read"] })).json;
  await done("POST", `/keys/${made.id}/rotate`, { overlap_seconds: 0 });
  await done("DELETE", `/keys/${made.id}`);
  expect((await done("GET", "/keys")).json.items.length).toBeGreaterThan(1);

  expect((await shown("/account")).id).toBe(account.id);
  await done("PATCH", "/account", { name: "Toko Ani" });
  await done("POST", "/account/secret", {});
  await done("GET", "/account/credit");
  await done("GET", "/account/log");
  await done("GET", "/usage");

  await person(gateway, "budi@toko.example");
  const role = (wish: string) => ({ email: "budi@toko.example", role: wish });
  await asAdmin("POST", "/account/people", { account: account.id, ...role("viewer") });
  await done("PATCH", "/account/people/budi@toko.example", { role: "operator" });
  const members = (await done("GET", "/account/people")).json.items;
  expect(members).toMatchObject([role("operator")]);
  await done("DELETE", "/account/people/budi@toko.example");
});

test("invitations", async () => {
  const invited = async (email: string) => {
    const body = { account: account.id, email, role: "viewer" };
    const made = (await done("POST", "/account/invitations", body)).json;
    gateway.secrets.add(tokenOf(made.url));
    return made;
  };
  const revoked = await invited("revoked@toko.example");
  const { items } = (await done("GET", "/account/invitations")).json;
  expect(items).toMatchObject([{ id: revoked.id, email: "revoked@toko.example", role: "viewer" }]);
  await done("DELETE", `/account/invitations/${revoked.id}`);

  const dedi = new PersonClient(gateway);
  const token = tokenOf((await invited("dedi@toko.example")).url);
  const offered = await dedi.ask("POST", "/invitation", { token });
  expect(offered.json).toMatchObject({ email: "dedi@toko.example", role: "viewer" });
  const password = "pisang goreng 5";
  gateway.secrets.add(password);
  const accepted = await dedi.ask("POST", "/invitation/accept", { token, password });
  expect(accepted.status, accepted.text).toBe(200);
  expect(accepted.json.memberships).toMatchObject([{ account: account.id, role: "viewer" }]);
  const left = await dedi.ask("DELETE", `/session/memberships/${account.id}`);
  expect(left.json.memberships).toEqual([]);
  const again = tokenOf((await invited("dedi@toko.example")).url);
  const joined = await dedi.ask("POST", "/session/invitation", { token: again });
  expect(joined.status, joined.text).toBe(200);
  expect(joined.json.memberships).toMatchObject([{ account: account.id, role: "viewer" }]);
});

test("what the administrator does", async () => {
  const made = (await asAdmin("POST", "/admin/accounts", { name: "Toko Budi", credit: 5 })).json;
  const path = `/admin/accounts/${made.id}`;
  expect((await shown(path, admin)).credit).toBe(5);
  await asAdmin("PATCH", path, { name: "Toko Budi Jaya" });
  await asAdmin("POST", `${path}/topup`, { amount: 7 });
  await asAdmin("POST", `${path}/secret`, {});
  expect((await asAdmin("GET", "/admin/accounts")).json.items.length).toBeGreaterThan(1);

  await person(gateway, "erna@toko.example", "--admin"); // One administrator must remain.
  const member = { email: "cici@toko.example", account: made.id, role: "owner" };
  const cici = (await asAdmin("POST", "/admin/people", member)).json;
  expect((await shown(`/admin/people/${cici.id}`, admin)).email).toBe("cici@toko.example");
  await asAdmin("PATCH", `/admin/people/${cici.id}`, { admin: true });
  const link = (await asAdmin("POST", `/admin/people/${cici.id}/link`)).json;
  gateway.secrets.add(tokenOf(link.url));
  expect((await asAdmin("GET", "/admin/people")).json.items.length).toBeGreaterThan(0);
  await asAdmin("DELETE", `/admin/people/${cici.id}`);

  await asAdmin("GET", "/admin/log");
  await asAdmin("GET", "/admin/status");
  await asAdmin("GET", "/admin/nodes");
  const copied = await gateway.cli("backup", join(gateway.folder, "copy.db")); // Its socket alone.
  expect(copied.code).toBe(onPostgres ? 1 : 0); // A database has copies of its own.
});

test("a person's own session", async () => {
  const flags = ["--account", account.id, "--role", "viewer"];
  const dewi = await person(gateway, "dewi@toko.example", ...flags);
  const client = new PersonClient(gateway);
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await client.ask(method, path, body);
    expect(answer.status, `${method} ${path} ${answer.text}`).toBe(200);
    return answer.json;
  };
  await ask("POST", "/session/link", { token: tokenOf(await linkOf(gateway, dewi.email)) });
  expect((await ask("GET", "/session")).person.email).toBe(dewi.email);
  const { secret } = await ask("POST", "/session/totp", { current: dewi.password });
  gateway.secrets.add(secret);
  await ask("POST", "/session/totp/confirm", { code: totpAt(secret, Date.now()) });
  await ask("DELETE", "/session/totp");
  await PersonClient.signedIn(gateway, dewi);
  const other = (await ask("GET", "/sessions")).items.find((item: Json) => !item.current);
  await ask("DELETE", `/sessions/${other.id}`);
  const password = "ayam berkokok pagi";
  gateway.secrets.add(password);
  await ask("POST", "/session/password", { password, current: dewi.password });
  await ask("DELETE", "/session");
});
