// Each field of the send request: accepted and refused values.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted, expectRefused, expectSent, rows } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";

// No test here waits for an outcome: B answers at acceptance. Private addresses stay refused.
let gateway: Gateway;
let account: Account;
let device: string;

beforeAll(async () => {
  gateway = await Gateway.create({
    settings: { "api.revision_b.respond": "accepted", "outbound.allow": [] },
  });
  ({ account, device } = await shop(gateway));
});
afterAll(() => gateway.close());

const a = (fields: object, without?: string) => send("message", fields, without);
const b = (fields: object, without?: string) => send("pesan", fields, without);

function send(text: string, fields: object, without?: string) {
  const body: Record<string, unknown> = {
    to: freshNumber(),
    from: device,
    [text]: freshText(),
    Type: "text",
    delay: 50,
    ...fields,
  };
  if (without) delete body[without];
  const headers = { "X-Api-Revision": text === "message" ? "A" : "B" };
  return account.send(body, { headers });
}

describe("delay", () => {
  test.each([1, 2, 18000, "1", "18000", "random"])("%j is taken by revision A", async (delay) => {
    expectAccepted(await a({ delay }));
  });
  test.each([1, 60, "1", "60", "random"])("%j is taken by revision B", async (delay) => {
    expectSent(await b({ delay }));
  });

  const never = [
    0,
    -1,
    1.5,
    1e30,
    "0",
    "-1",
    "+1",
    "1.5",
    "",
    " ",
    " 1",
    "1 ",
    "1s",
    "0x10",
    "01",
    "007",
    "5.0",
    "1e1",
    "Random",
    "RANDOM",
    "random ",
    "acak",
    "99999999999999999999",
    99999999999999999999,
    true,
    false,
    null,
    [],
    [1],
    {},
  ];
  test.each([...never, 18001, "18001"])("%j is refused by revision A", async (delay) => {
    expectRefused(await a({ delay }), rows.delay);
  });
  test.each([...never, 61, "61", 18000])("%j is refused by revision B", async (delay) => {
    expectRefused(await b({ delay }), rows.delay);
  });
});

describe("typing", () => {
  test.each([true, false, "true", "false"])("%j is taken", async (typing) => {
    expectAccepted(await a({ typing }));
  });
  test.each([1, 0, "True", "TRUE", "ya", "1", "", null, [], {}])(
    "%j is refused",
    async (typing) => {
      expectRefused(await a({ typing }), rows.typing);
    },
  );
});

describe("to", () => {
  test("missing is refused", async () => {
    expectRefused(await a({}, "to"), rows.recipient);
    expectRefused(await b({}, "to"), rows.recipient);
  });
  test.each([null, true, 1.5, 6281234567890.5, [], ["6281234567890"], {}])(
    "%j is refused",
    async (to) => {
      expectRefused(await a({ to }), rows.recipient);
      expectRefused(await b({ to }), rows.recipient);
    },
  );
  test.each([
    "081234567890",
    "+6281234567890",
    "62 812 345",
    "1234567",
    "6281234567890123",
    "abc",
    "99912345678",
    "6".repeat(65),
    "6".repeat(60_000),
  ])("%j is no possible number: A accepts and reports, B says at once", async (to) => {
    expectAccepted(await a({ to }), to);
    expectRefused(await b({ to }), rows.failed);
  });
  test("an integer of any length comes back digit for digit", async () => {
    const digits = "6".repeat(5000);
    const body = `{"to":${digits},"from":"${device}","message":"${freshText()}","Type":"text"}`;
    const reply = await account.post("/v1/send", body);
    expectAccepted(reply);
    expect(reply.text).toContain(`"to":${digits},`);
  });
  test.each([
    "62812345678",
    "6281234567890",
    "628123456789012",
    "80012345678",
    "88812345678",
  ])("%j is taken", async (to) => {
    expectAccepted(await a({ to }), to);
    expectAccepted(await a({ to: Number(to) }), Number(to));
  });
});

describe("from", () => {
  test("missing, malformed, unknown and another account's are told alike", async () => {
    const other = await shop(gateway);
    const refusals = [await a({}, "from")];
    for (const from of [
      null,
      true,
      "",
      "abc",
      "0812345678",
      `+${device}`,
      ` ${device}`,
      12,
      [],
      {},
      freshNumber(),
      other.device,
      Number(other.device),
    ]) {
      refusals.push(await a({ from }));
    }
    for (const refusal of refusals) {
      expectRefused(refusal, rows.sender);
      expect(refusal.text).toBe(refusals[0]!.text);
    }
  });
});

describe("Type", () => {
  test.each(["Text", "TEXT", "text ", "image", "", 1, null, true, [], {}])(
    "%j is refused",
    async (Type) => {
      expectRefused(await a({ Type }), rows.type);
      expectRefused(await b({ Type }), rows.type);
    },
  );
  test("missing is refused, and a small t does not help", async () => {
    expectRefused(await a({ type: "text" }, "Type"), rows.type);
  });
});

describe("message and pesan", () => {
  test.each(["", " ", "\n\t\r ", "\u0085\u3000", null, 5, true, [], {}])(
    "%j is no text",
    async (text) => {
      expectRefused(await a({ message: text }), rows.empty);
      expectRefused(await b({ pesan: text }), rows.empty);
    },
  );
  test.each(["\u200b", "\ufeff"])("%j is invisible, but no white space", async (text) => {
    expectAccepted(await a({ message: text }));
    expectSent(await b({ pesan: text }));
  });
  test("missing is no text", async () => {
    expectRefused(await a({}, "message"), rows.empty);
    expectRefused(await b({}, "pesan"), rows.empty);
  });
  test.each(["x", "é", "漢", "\u{1f426}"])(
    "4096 times %s is taken, once more is too long",
    async (letter) => {
      expectAccepted(await a({ message: letter.repeat(4096) }));
      expectRefused(await a({ message: letter.repeat(4097) }), rows.long);
      expectRefused(await b({ pesan: letter.repeat(4097) }), rows.long);
    },
  );
});

describe("callbackStatus", () => {
  test.each([
    "https://toko.example.com",
    "https://toko.example.com/",
    "https://toko.example.com:8443/a/b?c=d&e=%20f",
    "https://1.1.1.1/hook",
    "https://toko.onion/hook",
    "HTTPS://Toko.Example.COM/Hook",
    "https://toko.example.com/" + "x".repeat(2000),
    "",
  ])("%s is taken", async (callbackStatus) => {
    // The message is due far in the future, so no callback is ever sent.
    expectAccepted(await a({ callbackStatus, delay: 18000 }));
  });

  test.each([
    "http://toko.example.com/",
    "ftp://toko.example.com/",
    "//toko.example.com/",
    "toko.example.com",
    "https://",
    "https:///hook",
    "https://toko.example.com:0/",
    "https://toko.example.com:65536/",
    "https://toko.example.com:x/",
    "https://ani:rahasia@toko.example.com/",
    "https://ani@toko.example.com/",
    "https://toko example.com/",
    "https://toko.example.com/a b",
    "https://toko.example.com/\r\nX-A: b",
    " https://toko.example.com/",
    "https://toko.example.com/" + "x".repeat(2048),
    "https://localhost/",
    "https://intranet/",
    "https://printer.local/",
    "https://127.0.0.1.example.org/",
    "https://db.internal/",
    "https://nas.home.arpa/",
    "https://a.localhost/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://0.0.0.0/",
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://192.168.1.1/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/",
    "https://224.0.0.1/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[fe80::1]/",
    "https://[fd00::1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    5,
    true,
    null,
    [],
    {},
  ])("%j is refused", async (callbackStatus) => {
    expectRefused(await a({ callbackStatus, delay: 18000 }), rows.callback);
  });
});

test("unknown fields and those of other revisions are ignored, whatever they hold", async () => {
  expectAccepted(await a({ pesan: 5, url: {}, priority: [1], Message: "x", TO: "y", tipe: null }));
  expectSent(await b({ message: [], callbackStatus: 7, typing: "x", url: 1 }));
});
