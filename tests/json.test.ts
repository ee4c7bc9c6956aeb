// The body must be one well-formed JSON object, and nothing else.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted, expectRefused, rows } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";

let gateway: Gateway;
let account: Account;
let device = "6280000000000"; // For broken bodies, which are made before the device exists.

beforeAll(async () => {
  gateway = await Gateway.create();
  ({ account, device } = await shop(gateway));
});
afterAll(() => gateway.close());

/** An acceptable request, with `inside` inserted before its closing brace. */
function text(inside = ""): string {
  const body = { to: freshNumber(), from: device, message: freshText(), Type: "text" };
  return JSON.stringify(body).slice(0, -1) + inside + "}";
}

const nested = (depth: number) => `,"x":${"[".repeat(depth)}${"]".repeat(depth)}`;

/** Unknown fields, which are ignored. */
const many = (count: number) => Array.from({ length: count }, (_, i) => `,"x${i}":1`).join("");

const broken: [name: string, body: string | Buffer][] = [
  ["nothing", ""],
  ["white space", "  \n"],
  ["null", "null"],
  ["a number", "5"],
  ["a string", '"halo"'],
  ["a list", `[${text()}]`],
  ["half an object", text().slice(0, -1)],
  ["a byte after the object", text() + "x"],
  ["a second object", text() + text()],
  ["a comma too many", text(",")],
  ["a comma missing", text().replace(",", " ")],
  ["single quotes", text().replaceAll('"', "'")],
  ["a name without quotes", text(",x:1")],
  ["a comment", text("/* x */")],
  ["NaN", text(',"x":NaN')],
  ["Infinity", text(',"x":Infinity')],
  ["a number with a leading zero", text(',"x":01')],
  ["a number with a plus sign", text(',"x":+1')],
  ["a fraction without digits", text(',"x":1.')],
  ["a hexadecimal number", text(',"x":0x1')],
  ["a capital True", text(',"x":True')],
  ["a control character in a string", text(',"x":"a\u0001b"')],
  ["a line break in a string", text(',"x":"a\nb"')],
  ["an unknown escape", text(',"x":"\\q"')],
  ["half a Unicode escape", text(',"x":"\\u12"')],
  ["a lone surrogate", text(',"x":"\\ud800"')],
  ["a field twice", text(',"Type":"text"')],
  ["an unknown field twice", text(',"x":1,"x":1')],
  ["a field twice, once escaped", text(',"\\u0054ype":"text"')],
  ["a field twice further inside", text(',"x":{"y":1,"y":1}')],
  ["a field twice among many", text(many(1000) + ',"x7":1')],
  ["a field twice among many further inside", text(`,"y":{"x7":1${many(1000)}}`)],
  ["nesting over 16", text(nested(16))],
  ["nesting without an end", text(`,"x":${"[".repeat(5000)}`)],
  [
    "invalid UTF-8",
    Buffer.concat([
      Buffer.from(text().slice(0, -1) + ',"x":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]),
  ],
  [
    "overlong UTF-8",
    Buffer.concat([
      Buffer.from(text().slice(0, -1) + ',"x":"'),
      Buffer.from([0xc0, 0xaf]),
      Buffer.from('"}'),
    ]),
  ],
  [
    "a UTF-8 surrogate",
    Buffer.concat([
      Buffer.from(text().slice(0, -1) + ',"x":"'),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('"}'),
    ]),
  ],
  ["a byte order mark", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from("{}")])],
  ["a form", "to=6281234567890&from=6289876543210&message=halo&Type=text"],
  ["NUL", "\0"],
];

describe.each(["/v1/send", "/v1/device/addnew"])("%s", (path) => {
  test.each(broken)("%s is refused", async (_, body) => {
    expectRefused(await account.post(path, body), rows.json);
  });
});

test("white space around the object, escapes and depth 16 are fine", async () => {
  expectAccepted(await account.post("/v1/send", ` \r\n\t${text(nested(15))}\n `));
  expectAccepted(await account.post("/v1/send", text().replace('"Type"', '"\\u0054ype"')));
});

test("unknown fields are ignored, however many they are", async () => {
  expectAccepted(await account.post("/v1/send", text(many(5000))));
  expectAccepted(await account.post("/v1/send", text(`,"y":{"z":1${many(5000)}}`)));
});

test.each([
  undefined,
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/json; charset=utf-8",
])("Content-Type %s does not matter", async (type) => {
  const headers: Record<string, string> = { authorization: `Bearer ${account.key}` };
  if (type) headers["content-type"] = type;
  const answer = await gateway.request({
    method: "POST",
    path: "/v1/send",
    headers,
    body: text(),
  });
  expect(answer.status).toBe(200);
});
