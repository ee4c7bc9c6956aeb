// The choice of a request's revision: header, then key, then fields, then the server's default.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectRefused, rows } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";

let gateway: Gateway;
let account: Account;
let device: string;
const keys: Record<string, string> = {};

beforeAll(async () => {
  gateway = await Gateway.create();
  ({ account, device } = await shop(gateway));
  keys["auto"] = account.key;
  for (const revision of ["A", "B"] as const) {
    keys[revision] = (await account.createKey({ revision })).key;
  }
});
afterAll(() => gateway.close());

const text = () => freshText();
const fields = {
  message: () => ({ message: text() }),
  pesan: () => ({ pesan: text() }),
  both: () => ({ message: text(), pesan: text() }),
  "pesan and typing": () => ({ pesan: text(), typing: true, message: text() }),
  "pesan and callbackStatus": () => ({ pesan: text(), callbackStatus: "", message: text() }),
};

test.each<[header: string | null, key: string, fields: keyof typeof fields, revision: string]>([
  ["A", "B", "both", "A"],
  ["B", "A", "both", "B"],
  ["a", "B", "both", "A"],
  ["b", "A", "both", "B"],
  [null, "A", "both", "A"],
  [null, "B", "both", "B"],
  [null, "auto", "message", "A"],
  [null, "auto", "pesan", "B"],
  [null, "auto", "both", "A"],
  [null, "auto", "pesan and typing", "A"],
  [null, "auto", "pesan and callbackStatus", "A"],
])("header %s, key %s, fields %s: revision %s", async (header, key, name, revision) => {
  const body = { to: freshNumber(), from: device, Type: "text", ...fields[name]() };
  const reply = await account.send(body, {
    key: keys[key]!,
    headers: header === null ? {} : { "X-Api-Revision": header },
  });
  expect(reply.status, reply.text).toBe(200);
  expect(reply.headers["x-api-revision"]).toBe(revision);
  expect("requestId" in reply.json.data).toBe(revision === "A");
});

test("the text is taken from the revision's own field", async () => {
  const body = {
    to: freshNumber(),
    from: device,
    Type: "text",
    message: text(),
    pesan: text(),
  };
  await account.send(body, { headers: { "X-Api-Revision": "B" } });
  expect(gateway.simulator.of(body.pesan)).toHaveLength(1);
  expect(gateway.simulator.of(body.message)).toHaveLength(0);
});

test("a field of the other revision is no text", async () => {
  const body = { to: freshNumber(), from: device, Type: "text" };
  expectRefused(
    await account.send({ ...body, pesan: text() }, { headers: { "X-Api-Revision": "A" } }),
    rows.empty,
  );
  expectRefused(await account.send({ ...body, message: text() }, { key: keys["B"]! }), rows.empty);
});

test.each(["C", "AB", "1", ""])("the header %j is not a revision", async (header) => {
  const body = { to: freshNumber(), from: device, Type: "text", message: text() };
  const reply = await account.send(body, { headers: { "X-Api-Revision": header } });
  expectRefused(reply, rows.revision);
});

test("a header that is no revision leaves the choice to the other rules", async () => {
  const headers = { "X-Api-Revision": "C" };
  for (const revision of ["A", "B"] as const) {
    const reply = await account.send({ pesan: text() }, { key: keys[revision]!, headers });
    expectRefused(reply, rows.revision);
    expect(reply.headers["x-api-revision"]).toBe(revision);
  }
});

test("a body that is too large is told the revision of header, key or server", async () => {
  const body = { message: "x".repeat(65 * 1024) };
  const told = async (options: object) => {
    const reply = await account.send(body, options);
    expectRefused(reply, ["Permintaan terlalu besar", "invalid", 413]);
    return reply.headers["x-api-revision"];
  };
  expect(await told({})).toBe("A");
  expect(await told({ key: keys["B"]! })).toBe("B");
  expect(await told({ headers: { "X-Api-Revision": "b" } })).toBe("B");
});

test("refusals of a known revision carry it too", async () => {
  const a = await account.send({ Type: "text", message: "" });
  const b = await account.send({ Type: "text", pesan: "" });
  expect(a.headers["x-api-revision"]).toBe("A");
  expect(b.headers["x-api-revision"]).toBe("B");
});

test("where nothing says it, the server's default decides", async () => {
  const body = { to: freshNumber(), from: device, Type: "text" };
  expect((await account.send(body)).headers["x-api-revision"]).toBe("A");
  await gateway.restart({ "api.default_revision": "B" });
  expect((await account.send(body)).headers["x-api-revision"]).toBe("B");
});
