// POST /v1/messages/bulk: many messages in one request, each judged as if it had been sent alone.
import { beforeAll, describe, expect, test } from "vitest";
import { shop, type Account, type Reply, type RequestOptions } from "./support/account.ts";
import { openShop, type CallbackShop } from "./support/callback_shop.ts";
import type { Json } from "./support/contract.ts";
import { expectAccepted, expectRefused, rows, type Row } from "./support/expect.ts";
import { html, png } from "./support/files.ts";
import type { Gateway } from "./support/gateway.ts";
import { MediaShop } from "./support/media_shop.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { person, PersonClient } from "./support/people.ts";
import { waitFor } from "./support/wait.ts";

const MIB = 1024 * 1024;

let opened: CallbackShop;
let gateway: Gateway;
let account: Account;
let device: string;
beforeAll(async () => {
  opened = await openShop();
  ({ gateway, account, device } = opened);
  return opened.close;
});

const text = (more = {}, from = device) => ({
  to: freshNumber(),
  from,
  message: freshText(),
  Type: "text",
  ...more,
});
const bulk = (messages: Json[], more = {}, options: RequestOptions = {}, by = account) =>
  by.post("/v1/messages/bulk", { messages, ...more }, options);
const keyed = (key: string): RequestOptions => ({ headers: { "Idempotency-Key": key } });
const refusal = (to: Json, [message, status, code]: Row) => ({ to, message, status, code });
const stored = async (id: string): Promise<Json> => gateway.json("message", "show", id);
const creditOf = async (of: Account) => (await gateway.json("account", "show", of.id)).credit;

/** Expects 200, and how many were accepted; returns the results. */
function resultsOf(reply: Reply, accepted: number, refused: number): Json[] {
  expect(reply.status, reply.text.slice(0, 500)).toBe(200);
  expect(reply.json).toMatchObject({ accepted, refused });
  expect(reply.json.results).toHaveLength(accepted + refused);
  return reply.json.results;
}

function expectProblem(reply: Reply, status: number, code: string): void {
  expect(reply.headers["content-type"]).toContain("application/problem+json");
  expect(reply.json, reply.text).toMatchObject({ status, code });
  expect(reply.status).toBe(status);
}

test("of a thousand with a bad one all others are stored, in their order", async () => {
  const { account: own, device: from } = await shop(gateway, { credits: 5_000 });
  const messages = Array.from({ length: 1_000 }, () => text({}, from));
  messages[500]!.message = " ";
  const results = resultsOf(await bulk(messages, {}, {}, own), 999, 1);
  expect(results.map((one) => one.to)).toEqual(messages.map((one) => one.to));
  expect(results[500]).toEqual(refusal(messages[500]!.to, rows.empty));
  const ids = results.flatMap((one) => one.requestId ?? []);
  expect(new Set(ids).size).toBe(999);
  expect([...ids].sort()).toEqual(ids); // Ids ascend as messages are accepted.
  expect(results[0]).toEqual({
    requestId: ids[0],
    to: messages[0]!.to,
    status: "pending",
    code: 200,
  });
  expect(await creditOf(own)).toBe(5_000 - 999);
  await waitFor("all to be sent", async () => {
    const sent = await gateway.json(
      "message",
      "list",
      "--account",
      own.id,
      "--state",
      "sent",
      "--limit",
      "2000",
    );
    return sent.length === 999;
  });
  expect(await stored(ids[999 - 1]!)).toMatchObject({ from, to: messages[999]!.to });
});

describe("a refused message has revision A's text, word and code", () => {
  const faults: [string, Json, Row][] = [
    ["an unknown type", { Type: "sticker" }, rows.type],
    ["no text", { message: " " }, rows.empty],
    ["a text that is too long", { message: "x".repeat(4097) }, rows.long],
    ["an unknown sender", { from: freshNumber() }, rows.sender],
    ["a wrong delay", { delay: 0 }, rows.delay],
    ["a wrong typing", { typing: "ya" }, rows.typing],
    ["a callback over plain http", { callbackStatus: "http://toko.example" }, rows.callback],
    ["media without a file", { Type: "media" }, rows.urlMissing],
    ["a key that is no text", { key: 7 }, ["Idempotency-Key tidak valid", "invalid", 400]],
    [
      "a message larger than a request may be",
      { message: "x".repeat(65 * 1024) },
      ["Permintaan terlalu besar", "invalid", 413],
    ],
  ];
  test.each(faults)("%s", async (_, fault, row) => {
    const bad = text(fault);
    const good = text();
    const results = resultsOf(await bulk([bad, good]), 1, 1);
    expect(results[0]).toEqual(refusal(row[2] === 413 ? "" : bad.to, row));
    expect(results[1]).toMatchObject({ to: good.to, code: 200 });
  });

  test("a number that is larger than a request may be", async () => {
    const body = JSON.stringify({ messages: [text({ to: 1 })] });
    const large = body.replace('"to":1,', `"to":${"1".repeat(65 * 1024)},`);
    const results = resultsOf(await account.post("/v1/messages/bulk", large), 0, 1);
    expect(results[0]).toMatchObject({ to: "", code: 413 });
  });

  test("no recipient", async () => {
    const results = resultsOf(await bulk([text({ to: undefined })]), 0, 1);
    expect(results[0]).toEqual(refusal("", rows.recipient));
  });

  test("a device that is not connected", async () => {
    const own = await shop(gateway);
    await gateway.json("device", "disconnect", own.device);
    const one = text({}, own.device);
    const results = resultsOf(await bulk([one], {}, {}, own.account), 0, 1);
    expect(results[0]).toEqual(refusal(one.to, rows.disconnected));
  });

  test("an account whose validity is over", async () => {
    const own = await shop(gateway, { expires: "2020-01-01T00:00:00Z" });
    const messages = [text({}, own.device), text({ message: "" }, own.device)];
    const results = resultsOf(await bulk(messages, {}, {}, own.account), 0, 2);
    expect(results).toEqual(messages.map(({ to }) => refusal(to, rows.expired)));
  });
});

test("a recipient is answered in the JSON type it came in", async () => {
  const results = resultsOf(await bulk([text({ to: 6281234567890 }), text({ to: "08" })]), 2, 0);
  expect(results[0].to).toBe(6281234567890);
  expect(results[1].to).toBe("08"); // Its callback will report the failure, as in revision A.
});

test("delays and callbacks are those of a send", async () => {
  const path = "/of-bulk";
  const [now, later] = resultsOf(
    await bulk([text({ callbackStatus: opened.sink.url(path) }), text({ delay: 9_000 })]),
    2,
    0,
  );
  await waitFor("its callback", () =>
    opened.sink.at(path).some((one) => one.body.includes(now.requestId)),
  );
  expect(await stored(later.requestId)).toMatchObject({ state: "pending" });
});

test("the last unit of credit goes to the first message that needs it", async () => {
  const own = await shop(gateway, { credits: 3 });
  const messages = [
    text({}, own.device),
    text({ message: " " }, own.device),
    ...Array.from({ length: 4 }, () => text({}, own.device)),
  ];
  const results = resultsOf(await bulk(messages, {}, {}, own.account), 3, 3);
  expect(results.map((one) => one.code)).toEqual([200, 400, 200, 200, 402, 402]);
  expect(results[4]).toEqual(refusal(messages[4]!.to, rows.credit));
  expect(await creditOf(own.account)).toBe(0);
});

test("each message counts once against the rate, and those beyond it are refused", async () => {
  const own = await shop(gateway, { rate: "5/min" });
  expectAccepted(await own.account.send(text({}, own.device)));
  const messages = Array.from({ length: 6 }, () => text({}, own.device));
  messages[1]!.message = ""; // It counts, as it would alone.
  const reply = await bulk(messages, {}, {}, own.account);
  const results = resultsOf(reply, 3, 3);
  expect(results.map((one) => one.code)).toEqual([200, 400, 200, 200, 429, 429]);
  expect(results[5]).toEqual(refusal(messages[5]!.to, rows.rate));
  expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
  expectRefused(await own.account.send(text({}, own.device)), rows.rate);
});

describe("an Idempotency-Key", () => {
  test("of the request: a repeat gets the same answer and takes no rate", async () => {
    const own = await shop(gateway, { rate: "3/min", credits: 10 });
    const messages = [
      text({}, own.device),
      text({ message: " " }, own.device),
      text({}, own.device),
    ];
    const first = await bulk(messages, {}, keyed("pesanan-1"), own.account);
    resultsOf(first, 2, 1);
    for (let repeat = 0; repeat < 3; repeat += 1) {
      const again = await bulk(messages, {}, keyed("pesanan-1"), own.account);
      expect(again.text).toBe(first.text);
      expect(again.headers["idempotent-replayed"]).toBe("true");
    }
    expect(await creditOf(own.account)).toBe(8);
    expectProblem(
      await bulk([text({}, own.device)], {}, keyed("pesanan-1"), own.account),
      422,
      "idempotency_key_reused",
    );
    expectProblem(
      await bulk([text()], {}, keyed("x".repeat(256)), own.account),
      400,
      "invalid_argument",
    );
  });

  test("of the request: a repeat after a restart gets the same answer", async () => {
    const messages = [text(), text()];
    const first = await bulk(messages, {}, keyed("pesanan-restart"));
    await gateway.restart();
    expect((await bulk(messages, {}, keyed("pesanan-restart"))).text).toBe(first.text);
  });

  test("of the request: repeats at the same time are carried out once", async () => {
    const own = await shop(gateway, { credits: 100 });
    const messages = Array.from({ length: 10 }, () => text({}, own.device));
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => bulk(messages, {}, keyed("serentak"), own.account)),
    );
    const answered = replies.filter(({ status }) => status === 200);
    expect(answered.length).toBeGreaterThan(0);
    expect(new Set(answered.map((one) => one.text)).size).toBe(1);
    for (const refused of replies.filter((one) => !answered.includes(one))) {
      expectProblem(refused, 409, "idempotency_in_progress");
    }
    expect(await creditOf(own.account)).toBe(90);
  });

  test("of a message: a file that is repeated with other borders doubles nothing", async () => {
    const own = await shop(gateway, { credits: 100 });
    const file = Array.from({ length: 9 }, (_, row) => text({ key: `baris-${row}` }, own.device));
    const first = resultsOf(await bulk(file.slice(0, 6), {}, {}, own.account), 6, 0);
    const second = resultsOf(await bulk(file.slice(4), {}, {}, own.account), 5, 0);
    expect(second.slice(0, 2)).toEqual(first.slice(4));
    expect(resultsOf(await bulk(file, {}, {}, own.account), 9, 0)).toEqual([
      ...first,
      ...second.slice(2),
    ]);
    expect(await creditOf(own.account)).toBe(91);
  });

  test("of a message: equal ones give one message, another body is 422", async () => {
    const one = text({ key: "sekali-1" });
    const results = resultsOf(await bulk([one, one, { ...one, message: "lain" }, text()]), 3, 1);
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(refusal(one.to, rows.reused));
    expect(results[3].requestId).not.toBe(results[0].requestId);
    const later = resultsOf(await bulk([{ ...one, message: "lain" }, one]), 1, 1);
    expect(later).toEqual([refusal(one.to, rows.reused), results[0]]);
  });

  test("of a message is shared with single sends", async () => {
    const alone = text();
    const id = expectAccepted(await account.send(alone, keyed("bersama-1")));
    const results = resultsOf(
      await bulk([{ ...alone, key: "bersama-1" }, text({ key: "bersama-1" })]),
      1,
      1,
    );
    expect(results[0].requestId).toBe(id);
    expect(results[1].code).toBe(422);

    const together = text({ message: 'Halo,\n"Ani" é 🙂' });
    const [first] = resultsOf(await bulk([{ key: "bersama-2", ...together }]), 1, 0);
    expect(expectAccepted(await account.send(together, keyed("bersama-2")))).toBe(first.requestId);
    expectRefused(await account.send(text(), keyed("bersama-2")), rows.reused);
    expectProblem(await bulk([text()], {}, keyed("bersama-2")), 422, "idempotency_key_reused");
  });

  test("of a refused message stays free", async () => {
    const one = text({ key: "bebas-1", message: " " });
    resultsOf(await bulk([one]), 0, 1);
    resultsOf(await bulk([{ ...one, message: "isi" }]), 1, 0);
  });
});

describe("a trial (dry_run)", () => {
  test("answers the same without ids, stores nothing and takes neither rate nor keys", async () => {
    const own = await shop(gateway, { credits: 2, rate: "4/min" });
    const messages = [
      text({ key: "coba-1" }, own.device),
      text({ message: " " }, own.device),
      text({ key: "coba-1" }, own.device),
      text({}, own.device),
      text({}, own.device),
    ];
    const trial = { dry_run: true };
    for (let round = 0; round < 2; round += 1) {
      const reply = await bulk(messages, trial, keyed("coba-semua"), own.account);
      const results = resultsOf(reply, 2, 3);
      expect(results.map((one) => one.code)).toEqual([200, 400, 422, 200, 402]);
      expect(results[0]).toEqual({ to: messages[0]!.to, status: "pending", code: 200 });
    }
    expect(await creditOf(own.account)).toBe(2);
    expect(await gateway.json("message", "list", "--account", own.account.id)).toEqual([]);
    const real = await bulk(messages.slice(0, 4), {}, keyed("coba-semua"), own.account);
    expect(resultsOf(real, 2, 2).map((one) => one.code)).toEqual([200, 400, 422, 200]);
    expect(real.json.results[0].requestId).toBeDefined();
  });

  test("takes equal keys for one message, as the commit does", async () => {
    const own = await shop(gateway, { credits: 2 });
    const twice = text({ key: "coba-kembar" }, own.device);
    const messages = [twice, twice, text({}, own.device), text({}, own.device)];
    const codes = [200, 200, 200, 402];
    const trial = resultsOf(await bulk(messages, { dry_run: true }, {}, own.account), 3, 1);
    expect(trial.map((one) => one.code)).toEqual(codes);
    const real = resultsOf(await bulk(messages, {}, {}, own.account), 3, 1);
    expect(real.map((one) => one.code)).toEqual(codes);
    expect(real[0].requestId).toBe(real[1].requestId);
    expect(await creditOf(own.account)).toBe(0);
  });

  test("knows keys that were used before", async () => {
    const one = text({ key: "coba-lama" });
    resultsOf(await bulk([one]), 1, 0);
    const results = resultsOf(
      await bulk([one, { ...one, message: "lain" }], { dry_run: true }),
      1,
      1,
    );
    expect(results).toEqual([
      { to: one.to, status: "pending", code: 200 },
      refusal(one.to, rows.reused),
    ]);
  });
});

describe("as a whole it is refused, and nothing is stored", () => {
  const post = (body: unknown, options?: RequestOptions) =>
    account.post("/v1/messages/bulk", body, options);

  test("without a valid key, or without the scope", async () => {
    expectProblem(await post({ messages: [text()] }, { key: null }), 401, "unauthenticated");
    expectProblem(await post({ messages: [text()] }, { key: "mpt_x" }), 401, "unauthenticated");
    const { key } = await account.createKey({ scopes: "messages:read" });
    expectProblem(await post("{", { key }), 403, "forbidden");
  });

  const malformed: [string, unknown][] = [
    ["no JSON", "{"],
    ["not an object", "[]"],
    ["nothing", ""],
    ["no messages", {}],
    ["an empty list", { messages: [] }],
    ["messages that are no list", { messages: "x" }],
    ["an element that is no object", { messages: [text(), 7] }],
    ["a list in the list", { messages: [[text()]] }],
    ["a field twice", `{"messages":[{"to":"1","to":"2"}]}`],
    ["the list twice", `{"messages":[{"to":"1"}],"messages":[{"to":"2"}]}`],
    ["bytes behind the object", `{"messages":[{"to":"1"}]} x`],
    ["text that is no UTF-8", Buffer.from('{"messages":[{"to":"\xff"}]}', "latin1")],
    ["an unknown field", { messages: [text()], mode: "all" }],
    ["dry_run that is no boolean", { messages: [text()], dry_run: "true" }],
    ["1,001 messages", { messages: Array.from({ length: 1_001 }, () => text()) }],
    [
      "too many fields",
      { messages: [Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, 1]))] },
    ],
  ];
  test.each(malformed)("400: %s", async (_, body) => {
    expectProblem(await post(body), 400, "invalid_argument");
  });

  test("413: more than 8 MiB", async () => {
    const body = JSON.stringify({ messages: [text()] });
    const full = body + " ".repeat(8 * MIB - body.length);
    resultsOf(await post(full), 1, 0);
    expectProblem(await post(`${full} `), 413, "body_too_large");
    expectProblem(await post(`${full} `, { key: null }), 401, "unauthenticated");
  });

  test("404: an account that the caller does not know", async () => {
    expectProblem(await post({ account: "acc_999999", messages: [text()] }), 404, "not_found");
  });
});

test("files of media messages are probed, and judged one by one", async () => {
  const own = await MediaShop.open();
  const media = (url: string) => ({ ...text({}, own.device), Type: "media", url });
  const messages = [
    media(own.host.put({ status: 404 })),
    text({}, own.device),
    media(own.host.put({ content: html, type: "text/html" })),
    media(own.host.put({ content: png })),
    media("http://10.0.0.1/x.png"),
  ];
  const results = resultsOf(await bulk(messages, {}, {}, own.account), 2, 3);
  expect(results.map((one) => one.code)).toEqual([400, 200, 415, 200, 400]);
  const trial = resultsOf(await bulk(messages, { dry_run: true }, {}, own.account), 2, 3);
  expect(trial.map((one) => one.code)).toEqual([400, 200, 415, 200, 400]);
  await own.close();
});

test("people send by their role, and the log has one entry, without numbers or texts", async () => {
  const own = await shop(gateway, { credits: 10 });
  const as = async (role: string) => {
    const flags = ["--account", own.account.id, "--role", role];
    return PersonClient.signedIn(gateway, await person(gateway, `${role}@bulk.example`, ...flags));
  };
  const body = { messages: [text({}, own.device), text({ message: "" }, own.device)] };
  expect((await (await as("viewer")).ask("POST", "/messages/bulk", body)).status).toBe(403);
  const sent = await (await as("operator")).ask("POST", "/messages/bulk", body);
  expect(sent.json).toMatchObject({ accepted: 1, refused: 1 });
  const log = (await (await as("owner")).ask("GET", "/account/log")).json.items;
  const entries = log.filter((one: Json) => one.operation === "POST /v1/messages/bulk");
  expect(entries).toHaveLength(1);
  expect(entries[0]).toMatchObject({ outcome: "done", after: { accepted: 1, refused: 1 } });
  expect(entries[0].actor.name).toBe("operator@bulk.example");
  expect(JSON.stringify(entries)).not.toContain(body.messages[0]!.to);
});

test("ten bulks of one account at once are all answered", async () => {
  const own = await shop(gateway, { credits: 1_500 });
  const replies = await Promise.all(
    Array.from({ length: 10 }, () =>
      bulk(
        Array.from({ length: 200 }, () => text({}, own.device)),
        {},
        {},
        own.account,
      ),
    ),
  );
  expect(replies.map((one) => one.status)).toEqual(replies.map(() => 200));
  const accepted = replies.reduce((sum, one) => sum + one.json.accepted, 0);
  expect(accepted).toBe(1_500);
  expect(await creditOf(own.account)).toBe(0);
});
