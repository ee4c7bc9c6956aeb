// POST /v1/messages: one message of a person in the web app, or of a program.
import { beforeAll, describe, expect, test } from "vitest";
import { Account, shop } from "./support/account.ts";
import { openShop, type CallbackShop } from "./support/callback_shop.ts";
import { call, keyWith } from "./support/catalogue.ts";
import type { Json } from "./support/contract.ts";
import { rows, type Row } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { person, PersonClient } from "./support/people.ts";
import { waitFor } from "./support/wait.ts";

let opened: CallbackShop;
let gateway: Gateway;
let account: Account;
let device: string;
let key: string;
beforeAll(async () => {
  opened = await openShop();
  ({ gateway, account, device } = opened);
  key = await keyWith(account, ["send", "messages:read"]);
  return opened.close;
});

const row = { method: "POST", path: "/v1/messages" };
const text = (more = {}) => ({
  from: device,
  to: freshNumber(),
  type: "text",
  message: freshText(),
  ...more,
});
const send = (body: unknown, by = key, headers = {}) =>
  call(gateway, row, { key: by, headers }, body);

async function shown(id: string): Promise<Json> {
  const path = `/v1/messages/${id}?body=true`;
  return (await call(gateway, { method: "GET", path }, { key })).json;
}

async function until(id: string, state: string): Promise<void> {
  await waitFor(`${id} to be ${state}`, async () => (await shown(id)).state === state);
}

test("a message is sent, charged and reported to the account's callback", async () => {
  const at = opened.sink.url("/of-account");
  await gateway.json("account", "set", account.id, "--callback", at);
  const body = text({ message: "Halo,\napa kabar?" });
  const sent = await send(body);
  expect(sent.status, sent.text).toBe(200);
  expect(sent.json).toMatchObject({ from: device, to: body.to, type: "text", callbacks: [] });
  await until(sent.json.id, "sent");
  expect(await shown(sent.json.id)).toMatchObject({ body: "Halo,\napa kabar?", callback: at });
  await waitFor("its callback", () =>
    opened.sink.at("/of-account").some((one) => one.body.includes(sent.json.id)),
  );
});

test("numbers are taken as people type them", async () => {
  const to = freshNumber();
  const typed = `+62 ${to.slice(2, 5)}-${to.slice(5)}`;
  const sent = await send(text({ from: `0${device.slice(2)}`, to: typed }));
  expect(sent.json).toMatchObject({ from: device, to });
});

describe("what revision A refuses is a problem with its status and text", () => {
  const faults: [string, Json, Row][] = [
    ["an unknown type", { type: "sticker" }, rows.type],
    ["no text", { message: " " }, rows.empty],
    ["an unknown sender", { from: freshNumber() }, rows.sender],
    ["no recipient", { to: undefined }, rows.recipient],
    ["a wrong delay", { delay: 0 }, rows.delay],
    ["a wrong typing", { typing: "ya" }, rows.typing],
  ];
  test.each(faults)("%s", async (_, fault, [detail, , status]) => {
    const refused = await send(text(fault));
    expect(refused.status, refused.text).toBe(status);
    expect(refused.json).toMatchObject({ status, detail });
  });

  test("an account without credit", async () => {
    const poor = await shop(gateway, { credits: 0 });
    const by = await keyWith(poor.account, ["send"]);
    const refused = await send(text({ from: poor.device }), by);
    expect(refused.json).toMatchObject({ status: 402, code: "credit_exhausted" });
  });

  test("a device that is not connected", async () => {
    const own = await shop(gateway);
    await gateway.json("device", "disconnect", own.device);
    const by = await keyWith(own.account, ["send"]);
    const refused = await send(text({ from: own.device }), by);
    expect(refused.json).toMatchObject({ status: 503, code: "device_disconnected" });
  });
});

test("an unknown field is refused", async () => {
  for (const field of ["callbackStatus", "Type", "pesan"]) {
    const refused = await send(text({ [field]: "x" }));
    expect(refused.json).toMatchObject({ status: 400, code: "invalid_argument" });
  }
});

test("it counts against the rate of the account's sends", async () => {
  const slow = await shop(gateway, { rate: "1/min" });
  const by = await keyWith(slow.account, ["send"]);
  expect((await send(text({ from: slow.device }), by)).status).toBe(200);
  const second = await send(text({ from: slow.device }), by);
  expect(second.json).toMatchObject({ status: 429, code: "rate_exceeded" });
  expect(Number(second.headers["retry-after"])).toBeGreaterThan(0);
  const body = { to: freshNumber(), from: slow.device, message: "x", Type: "text" };
  expect((await slow.account.send(body)).status).toBe(429);
});

test("a repeat with the same Idempotency-Key sends nothing again", async () => {
  const body = text();
  const headers = { "idempotency-key": freshText() };
  const first = await send(body, key, headers);
  const again = await send(body, key, headers);
  expect(again.json.id).toBe(first.json.id);
  expect(again.headers["idempotent-replayed"]).toBe("true");
  expect((await send(text(), key, headers)).status).toBe(422);
});

test("people send by their role, and the log says who did", async () => {
  const flags = (role: string) => ["--account", account.id, "--role", role];
  const as = async (role: string) =>
    PersonClient.signedIn(gateway, await person(gateway, `${role}@send.example`, ...flags(role)));
  expect((await (await as("viewer")).ask("POST", "/messages", text())).status).toBe(403);
  const sent = await (await as("operator")).ask("POST", "/messages", text());
  expect(sent.status, sent.text).toBe(200);
  const log = (await (await as("owner")).ask("GET", "/account/log")).json.items;
  const entry = log.find((one: Json) => one.after?.message === sent.json.id);
  expect(entry).toMatchObject({ operation: "POST /v1/messages", outcome: "done" });
  expect(entry.actor.name).toBe("operator@send.example");
  expect(JSON.stringify(log)).not.toContain(sent.json.to);
});
