// Requests as bytes that no client library would send, and the shape of every refusal.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { check, expectSchema, type Answer } from "./support/contract.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { exchangeBytes, parseAnswers } from "./support/raw.ts";

let gateway: Gateway;
let account: Account;
let device: string;

beforeAll(async () => {
  gateway = await Gateway.create({ settings: { "http.header_timeout": "2s" } });
  ({ account, device } = await shop(gateway));
});
afterAll(() => gateway.close());

/** The answers to these bytes, checked against the description. */
async function raw(bytes: string | Buffer, path = "/v1/send", method = "POST"): Promise<Answer[]> {
  const answers = parseAnswers(await exchangeBytes(gateway.port, bytes));
  for (const answer of answers) {
    check(method, path, answer);
    expect(answer.headers["x-request-id"]).toBeTruthy();
    if (answer.status >= 400) expectSchema("Failure", JSON.parse(answer.text));
  }
  return answers;
}

const post = (headers: string, body = "{}") =>
  `POST /v1/send HTTP/1.1\r\nHost: a\r\n${headers}\r\n${body}`;

test.each<[name: string, bytes: string]>([
  [
    "both Content-Length and Transfer-Encoding",
    post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
  ],
  ["two Content-Lengths", post("Content-Length: 2\r\nContent-Length: 3\r\n")],
  ["two equal Content-Lengths", post("Content-Length: 2\r\nContent-Length: 2\r\n")],
  ["a Content-Length with a plus sign", post("Content-Length: +2\r\n")],
  ["a Content-Length that is no number", post("Content-Length: zwei\r\n")],
  ["a Content-Length beyond all numbers", post("Content-Length: 99999999999999999999999\r\n")],
  ["a folded header", post("X-A: b\r\n c\r\nContent-Length: 2\r\n")],
  ["a space before the colon", post("Content-Length : 2\r\n")],
  ["a bare line feed", "POST /v1/send HTTP/1.1\nHost: a\nContent-Length: 2\n\n{}"],
  ["a NUL in a header", post("X-A: b\0c\r\nContent-Length: 2\r\n")],
  ["a broken chunk size", post("Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n")],
  ["an unknown transfer encoding", post("Transfer-Encoding: gzip\r\n", "")],
  ["no Host in HTTP/1.1", "POST /v1/send HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"],
  ["two Hosts", post("Host: b\r\nContent-Length: 2\r\n")],
  ["a method with odd letters", "P@ST /v1/send HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["no HTTP at all", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
])("%s is answered 400, and the connection closed", async (_, bytes) => {
  const answers = await raw(bytes + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(answers.map((answer) => answer.status)).toEqual([400]);
});

test("an unknown version is answered 505, and the connection closed", async () => {
  const answers = await raw("POST /v1/send HTTP/9.9\r\nHost: a\r\n\r\n");
  expect(answers.map((answer) => answer.status)).toEqual([505]);
});

describe("limits", () => {
  test("a body over 64 KiB is 413", async () => {
    const [answer] = await raw(
      post(`Authorization: Bearer ${account.key}\r\nContent-Length: 70000\r\n`, "x".repeat(70000)),
    );
    expect(answer!.status).toBe(413);
  });
  test("a chunked body over 64 KiB is 413", async () => {
    const chunk = `8000\r\n${"x".repeat(0x8000)}\r\n`;
    const [answer] = await raw(
      post(
        `Authorization: Bearer ${account.key}\r\nTransfer-Encoding: chunked\r\n`,
        chunk.repeat(3) + "0\r\n\r\n",
      ),
    );
    expect(answer!.status).toBe(413);
  });
  test("headers over 16 KiB are 431", async () => {
    const [answer] = await raw(post(`X-A: ${"x".repeat(20_000)}\r\n`, ""));
    expect(answer!.status).toBe(431);
  });
  test("more than 64 headers are 431", async () => {
    const [answer] = await raw(post("X-A: b\r\n".repeat(80) + "Content-Length: 2\r\n"));
    expect(answer!.status).toBe(431);
  });
  test("a request that never ends is 408", async () => {
    const [answer] = await raw("POST /v1/send HTTP/1.1\r\nHost: a\r\nContent-Le");
    expect(answer!.status).toBe(408);
  });
});

describe("paths and methods", () => {
  test("an unknown path is 404", async () => {
    expect((await gateway.request({ method: "GET", path: "/v1/nothing" })).status).toBe(404);
  });
  test.each(["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])(
    "%s /v1/send is 405 and names POST",
    async (method) => {
      const answer = await gateway.request({ method, path: "/v1/send" });
      expect(answer.status).toBe(405);
      expect(answer.headers["allow"]).toContain("POST");
    },
  );
  test("key-authenticated operations answer no CORS headers", async () => {
    const reply = await account.send({}, { headers: { origin: "https://evil.example.com" } });
    expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control"))).toEqual(
      [],
    );
  });
});

describe("connections", () => {
  const get = "GET /healthz HTTP/1.1\r\nHost: a\r\n";

  test("pipelined requests are answered in order", async () => {
    const answers = await raw(
      ["one", "two", "three\r\nConnection: close"]
        .map((id) => `${get}X-Request-Id: ${id}\r\n\r\n`)
        .join(""),
      "/healthz",
      "GET",
    );
    expect(answers.map((answer) => answer.headers["x-request-id"])).toEqual([
      "one",
      "two",
      "three",
    ]);
  });
  test("HTTP/1.0 is answered and closed", async () => {
    const answers = await raw("GET /healthz HTTP/1.0\r\n\r\n", "/healthz", "GET");
    expect(answers.map((answer) => answer.status)).toEqual([200]);
  });
  test("a chunked body is a body", async () => {
    const body = JSON.stringify({
      to: freshNumber(),
      from: device,
      message: freshText(),
      Type: "text",
    });
    const chunks = [...body].map((letter) => `1\r\n${letter}\r\n`).join("") + "0\r\n\r\n";
    const [answer] = await raw(
      post(
        `Authorization: Bearer ${account.key}\r\nTransfer-Encoding: chunked\r\n` +
          "Connection: close\r\n",
        chunks,
      ),
    );
    expect(answer!.status).toBe(200);
  });
  test("HEAD is GET without the body", async () => {
    const text = await exchangeBytes(
      gateway.port,
      "HEAD /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    );
    expect(text).toMatch(/^HTTP\/1.1 200 /);
    expect(text.endsWith("\r\n\r\n")).toBe(true);
  });
});

describe("X-Request-Id", () => {
  test("the caller's comes back", async () => {
    const reply = await account.send({}, { headers: { "X-Request-Id": "pesanan-1042" } });
    expect(reply.headers["x-request-id"]).toBe("pesanan-1042");
  });
  test.each(["", "x".repeat(1000), 'a"b<c>', "a b"])(
    "an unusable one (%j) is replaced",
    async (id) => {
      const reply = await account.send({}, { headers: { "X-Request-Id": id } });
      expect(reply.headers["x-request-id"]).not.toBe(id);
    },
  );
  test("without one every answer has its own", async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await account.send({})).headers["x-request-id"]),
    );
    expect(new Set(ids).size).toBe(3);
  });
});
