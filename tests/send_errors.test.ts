// Every row of the error tables, and which of two faults is reported.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Account, shop } from "./support/account.ts";
import { expectRefused, rows, type Row } from "./support/expect.ts";
import { Gateway, type AccountFlags } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";

let gateway: Gateway;
beforeAll(async () => void (gateway = await Gateway.create()));
afterAll(() => gateway.close());

type Revision = "A" | "B";
type Body = Record<string, unknown>;

const textField = { A: "message", B: "pesan" } as const;

/** One fault, as a change to an acceptable request. */
interface Fault {
  name: string;
  account?: AccountFlags; // Flags of the account that it needs.
  limited?: boolean; // Exhausts the account's rate first.
  body?: (body: Body, home: Home) => void;
  raw?: (text: string) => string;
  wrongKey?: boolean;
  row: Record<Revision, Row>;
  only?: Revision;
}

/** An account with a device that works and one that is down. */
interface Home {
  account: Account;
  device: string;
  down: string;
}

const same = (row: Row): Record<Revision, Row> => ({ A: row, B: row });
const past = "2020-01-01T00:00:00Z";
const tooLarge: Row = ["Permintaan terlalu besar", "invalid", 413];

// In the documented order of the checks.
const faults: Fault[] = [
  { name: "a wrong key", wrongKey: true, row: same(rows.key) },
  { name: "a body over 64 KiB", raw: (text) => text + " ".repeat(70_000), row: same(tooLarge) },
  { name: "broken JSON", raw: (text) => text.replace("{", "{,"), row: same(rows.json) },
  {
    name: "an account that has expired",
    account: { expires: past },
    row: { A: rows.expired, B: rows.expiredB },
  },
  {
    name: "too many requests",
    account: { rate: "1/min" },
    limited: true,
    row: same(rows.rate),
  },
  { name: "an unknown Type", body: (body) => (body["Type"] = "sticker"), row: same(rows.type) },
  {
    name: "no text",
    body: (body) => {
      for (const field of Object.values(textField)) if (field in body) body[field] = " ";
    },
    row: same(rows.empty),
  },
  {
    name: "an unknown sender",
    body: (body) => (body["from"] = freshNumber()),
    row: same(rows.sender),
  },
  {
    name: "a device that is down",
    body: (body, home) => (body["from"] = body["from"] === home.device ? home.down : body["from"]),
    row: { A: rows.disconnected, B: rows.failed },
  },
  { name: "no recipient", body: (body) => delete body["to"], row: same(rows.recipient) },
  { name: "a wrong delay", body: (body) => (body["delay"] = 0), row: same(rows.delay) },
  {
    name: "a wrong typing",
    body: (body) => (body["typing"] = "ya"),
    row: same(rows.typing),
    only: "A",
  },
  {
    name: "a wrong callbackStatus",
    body: (body) => (body["callbackStatus"] = "http://toko.example.com/"),
    row: same(rows.callback),
    only: "A",
  },
  { name: "no credit", account: { credits: 0 }, row: same(rows.credit) },
];

const homes = new Map<string, Promise<Home>>();

/** The account with these flags; created once. */
function home(flags: AccountFlags): Promise<Home> {
  const name = JSON.stringify(Object.entries(flags).sort());
  if (!homes.has(name)) homes.set(name, makeHome(flags));
  return homes.get(name)!;
}

async function makeHome(flags: AccountFlags): Promise<Home> {
  const { account, device } = await shop(gateway, flags);
  const down = await account.device();
  await gateway.json("device", "disconnect", down);
  return { account, device, down };
}

async function sendWith(revision: Revision, chosen: Fault[]) {
  const at = await home(Object.assign({}, ...chosen.map((fault) => fault.account ?? {})));
  const limited = chosen.some((fault) => fault.limited);
  if (limited) await at.account.send("{}");
  const body: Body = {
    to: freshNumber(),
    from: at.device,
    [textField[revision]]: freshText(),
    Type: "text",
  };
  for (const fault of chosen) fault.body?.(body, at);
  const text = chosen.reduce((made, fault) => fault.raw?.(made) ?? made, JSON.stringify(body));
  return at.account.send(text, {
    key: chosen.some((fault) => fault.wrongKey) ? "mpt_wrong" : at.account.key,
    headers: { "X-Api-Revision": revision },
  });
}

describe.each<Revision>(["A", "B"])("revision %s", (revision) => {
  const applicable = faults.filter((fault) => !fault.only || fault.only === revision);

  test("without a fault it is accepted", async () => {
    expect((await sendWith(revision, [])).status).toBe(200);
  });

  test.each(applicable)("$name is refused", async (fault) => {
    expectRefused(await sendWith(revision, [fault]), fault.row[revision]);
  });

  applicable.forEach((earlier, index) => {
    test(`${earlier.name} is told before everything that is checked later`, async () => {
      for (const later of applicable.slice(index + 1)) {
        const reply = await sendWith(revision, [earlier, later]);
        expect({ later: later.name, message: reply.json.message, code: reply.status }).toEqual({
          later: later.name,
          message: earlier.row[revision][0],
          code: earlier.row[revision][2],
        });
      }
    });
  });

  test("media without a url is refused", async () => {
    const { account, device } = await home({});
    const body = { to: freshNumber(), from: device, Type: "media" };
    const headers = { "X-Api-Revision": revision };
    expectRefused(await account.send(body, { headers }), rows.urlMissing);
    expectRefused(await account.send({ ...body, url: "" }, { headers }), rows.urlMissing);
  });

  test.each([
    "cdn.example.com/a.png",
    "ftp://cdn.example.com/a.png",
    "https://ani:x@cdn.example.com/a.png",
    "http://10.0.0.1/a.png",
    "https://printer.local/a.png",
  ])("media at %s is refused", async (url) => {
    const { account, device } = await home({});
    const body = { to: freshNumber(), from: device, Type: "media", url };
    const reply = await account.send(body, { headers: { "X-Api-Revision": revision } });
    expectRefused(reply, rows.urlInvalid);
  });

  test("media that would be refused for another reason is told that reason", async () => {
    const { account, down } = await home({});
    const body = {
      to: freshNumber(),
      from: freshNumber(),
      Type: "media",
      url: "https://cdn.example.com/a.png",
    };
    const headers = { "X-Api-Revision": revision };
    expectRefused(await account.send(body, { headers }), rows.sender);
    const reply = await account.send({ ...body, from: down }, { headers });
    expectRefused(reply, revision === "A" ? rows.disconnected : rows.failed);
  });
});

test("a refused request leaves no message and costs no credit", async () => {
  const { account, device, down } = await home({ credits: 5 });
  const before = await gateway.json("message", "list", "--account", account.id);
  const body = { to: freshNumber(), from: device, message: freshText(), Type: "text" };
  for (const fault of [
    { from: down },
    { delay: 0 },
    { message: "" },
    { typing: 3 },
    { Type: "x" },
  ]) {
    expect((await account.send({ ...body, ...fault })).json.success).toBe(false);
  }
  expect(await gateway.json("message", "list", "--account", account.id)).toEqual(before);
  expect(await gateway.json("account", "show", account.id)).toMatchObject({ credit: 5 });
});
