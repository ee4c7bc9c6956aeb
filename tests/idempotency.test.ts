// Idempotency-Key: a repeat gets the first answer, and nothing happens twice.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted, expectRefused, expectSent, rows } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { MediaServer } from "./support/media_server.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let account: Account;
let device: string;

beforeAll(async () => {
  gateway = await Gateway.create();
  ({ account, device } = await shop(gateway, { credits: 1000 }));
});
afterAll(() => gateway.close());

const a = () => ({ to: freshNumber(), from: device, message: freshText(), Type: "text" });
const b = () => ({ to: freshNumber(), from: device, pesan: freshText(), Type: "text" });
const keyed = (key: string) => ({ headers: { "Idempotency-Key": key } });
let number = 0;
const freshKey = () => `pesanan-${process.pid}-${(number += 1)}`;

test("a repeat gets the same answer, is sent once and costs one credit", async () => {
  const key = freshKey();
  const body = a();
  const before = (await gateway.json("account", "show", account.id)).credit;
  const first = await account.send(body, keyed(key));
  expectAccepted(first);
  await gateway.simulator.attempt(body.message);
  const second = await account.send(body, keyed(key));
  expect(second.text).toBe(first.text);
  expect(second.status).toBe(200);
  expect(gateway.simulator.of(body.message)).toHaveLength(1);
  expect((await gateway.json("account", "show", account.id)).credit).toBe(before - 1);
});

test("a repeat in revision B gets the outcome again", async () => {
  const key = freshKey();
  const body = b();
  const first = await account.send(body, keyed(key));
  expectSent(first);
  const second = await account.send(body, keyed(key));
  expectSent(second);
  expect(second.text).toBe(first.text);
  expect(gateway.simulator.of(body.pesan)).toHaveLength(1);
});

test("the same key with another body is 422", async () => {
  const key = freshKey();
  expectAccepted(await account.send(a(), keyed(key)));
  expectRefused(await account.send(a(), keyed(key)), rows.reused);
});

test("the same request in another revision is another request", async () => {
  const key = freshKey();
  const text = freshText();
  const body = { ...a(), message: text, pesan: text };
  const as = (revision: string) =>
    account.send(body, { headers: { "Idempotency-Key": key, "X-Api-Revision": revision } });
  const first = await as("A");
  expectAccepted(first);
  const other = await as("B");
  expectRefused(other, rows.reused);
  expect(other.headers["x-api-revision"]).toBe("B");
  expect((await as("a")).text).toBe(first.text);
  expect(gateway.simulator.of(text).length).toBeLessThanOrEqual(1);
});

test("while the file of a first request is looked at, a repeat is told so", async () => {
  const media = await MediaServer.open();
  try {
    const url = media.put({ hang: true });
    const body = { to: freshNumber(), from: device, Type: "media", url };
    const key = freshKey();
    const first = account.send(body, keyed(key));
    await waitFor("the look at the file", () => media.connections > 0);
    const repeat = await account.send(body, keyed(key));
    expectRefused(repeat, rows.running);
    expect(repeat.headers["retry-after"]).toBe("1");
    expectRefused(await account.send({ ...body, to: freshNumber() }, keyed(key)), rows.reused);
    expectAccepted(await account.send(a(), keyed(freshKey())));
    expectAccepted(await first);
    expect((await account.send(body, keyed(key))).text).toBe((await first).text);
  } finally {
    await media.close();
  }
});

test("a file that is refused leaves the key free at once", async () => {
  const media = await MediaServer.open();
  try {
    const body = { to: freshNumber(), from: device, Type: "media" };
    const key = freshKey();
    for (let turn = 0; turn < 20; turn += 1) {
      const url = media.put({ status: 404 });
      expectRefused(await account.send({ ...body, url }, keyed(key)), rows.inaccessible);
    }
    expectAccepted(await account.send(a(), keyed(key)));
  } finally {
    await media.close();
  }
});

test("repeats one after another never meet their own first request", async () => {
  for (let turn = 0; turn < 50; turn += 1) {
    const body = a();
    const key = freshKey();
    const first = await account.send(body, keyed(key));
    expectAccepted(first);
    expect((await account.send(body, keyed(key))).text).toBe(first.text);
  }
});

test("refused repeats are counted", async () => {
  const count = async (reason: string) => {
    const page = (await gateway.request({ method: "GET", path: "/metrics" })).text;
    const figure = `requests_refused_total{reason="${reason}"`;
    const line = page.split("\n").find((l) => l.includes(figure));
    return Number(line!.split(" ")[1]);
  };
  const reused = await count("idempotency_key_reused");
  const running = await count("idempotency_in_progress");
  const key = freshKey();
  const body = { ...b(), delay: 2 };
  const replies = await Promise.all([1, 2].map(() => account.send(body, keyed(key))));
  const [sent, repeat] = replies.sort((left, right) => left.status - right.status);
  expectSent(sent!);
  expectRefused(repeat!, rows.running);
  expectRefused(await account.send(b(), keyed(key)), rows.reused);
  const added = freshKey();
  await account.addDevice({ device: freshNumber() }, keyed(added));
  expectRefused(await account.addDevice({ device: freshNumber() }, keyed(added)), rows.reused);
  expect(await count("idempotency_key_reused")).toBe(reused + 2);
  expect(await count("idempotency_in_progress")).toBe(running + 1);
});

test("the same key in another account is another key", async () => {
  const other = await shop(gateway);
  const key = freshKey();
  const mine = expectAccepted(await account.send(a(), keyed(key)));
  const theirs = expectAccepted(
    await other.account.send({ ...a(), from: other.device }, keyed(key)),
  );
  expect(theirs).not.toBe(mine);
});

test("of many at once with one key, one is sent", async () => {
  const key = freshKey();
  const body = a();
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => account.send(body, keyed(key))),
  );
  const answered = replies.filter((reply) => reply.status === 200);
  expect(answered.length).toBeGreaterThanOrEqual(1);
  expect(new Set(answered.map((reply) => reply.json.data.requestId)).size).toBe(1);
  for (const reply of replies) expect([200, 409]).toContain(reply.status);
  await gateway.simulator.attempt(body.message);
  const ids = answered[0]!.json.data.requestId;
  expect(await gateway.json("message", "show", ids)).toBeTruthy();
  expect(gateway.simulator.of(body.message)).toHaveLength(1);
});

test("while a first revision B request waits for its outcome, the others are told so", async () => {
  const key = freshKey();
  const body = { ...b(), delay: 3 };
  const replies = await Promise.all([1, 2, 3].map(() => account.send(body, keyed(key))));
  const [sent, ...refused] = replies.sort((left, right) => left.status - right.status);
  expectSent(sent!);
  for (const reply of refused) expect(reply.status).toBe(409);
  expect(gateway.simulator.of(body.pesan)).toHaveLength(1);
});

test("a refused request does not use its key up", async () => {
  const key = freshKey();
  const body = a();
  expectRefused(await account.send({ ...body, Type: "x" }, keyed(key)), rows.type);
  expectAccepted(await account.send(body, keyed(key)));
});

test("after a restart a repeat still gets the first answer", async () => {
  const key = freshKey();
  const body = a();
  const first = await account.send(body, keyed(key));
  await gateway.simulator.attempt(body.message);
  await gateway.restart();
  expect((await account.send(body, keyed(key))).text).toBe(first.text);
  await gateway.kill();
  await gateway.start();
  expect((await account.send(body, keyed(key))).text).toBe(first.text);
  expect(gateway.simulator.of(body.message)).toHaveLength(1);
});

test("adding a device repeats alike, and another body is 422", async () => {
  const key = freshKey();
  const body = { device: freshNumber() };
  const first = await account.addDevice(body, keyed(key));
  expect(first.status).toBe(200);
  expect((await account.addDevice(body, keyed(key))).text).toBe(first.text);
  expectRefused(await account.addDevice({ device: freshNumber() }, keyed(key)), rows.reused);
});

test("adding a device repeats alike, whatever has changed since", async () => {
  const other = await gateway.account({ "devices-max": 1 });
  await other.createKey();
  const key = freshKey();
  const body = { device: freshNumber() };
  const first = await other.addDevice(body, keyed(key));
  expect(first.status).toBe(200);
  const repeats = async () => {
    const repeat = await other.addDevice(body, keyed(key));
    expect(repeat.text).toBe(first.text);
    expect(repeat.headers["idempotent-replayed"]).toBe("true");
  };
  await gateway.json("account", "set", other.id, "--devices-max", "0");
  await repeats();
  await gateway.json("account", "set", other.id, "--plan", "free");
  await repeats();
  await gateway.json("device", "remove", body.device);
  await account.addDevice(body);
  await repeats();
  expectRefused(await other.addDevice({ device: "x" }, keyed(key)), rows.reused);
  expectRefused(await other.addDevice({ ...body, webhook: "x" }, keyed(key)), rows.reused);
  await gateway.kill();
  await gateway.start();
  await repeats();
});

test("a refused device does not use its key up, and is judged anew", async () => {
  const other = await gateway.account({ "devices-max": 0 });
  await other.createKey();
  const key = freshKey();
  const body = { device: freshNumber() };
  expectRefused(await other.addDevice(body, keyed(key)), rows.devices);
  expectRefused(await other.addDevice(body, keyed(key)), rows.devices);
  await gateway.json("account", "set", other.id, "--devices-max", "1");
  expect((await other.addDevice(body, keyed(key))).status).toBe(200);
});

test("of many at once with one key, one device is added", async () => {
  const key = freshKey();
  const body = { device: freshNumber() };
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => account.addDevice(body, keyed(key))),
  );
  const first = replies.filter(
    (reply) => reply.status === 200 && !reply.headers["idempotent-replayed"],
  );
  expect(first).toHaveLength(1);
  for (const reply of replies) expect([200, 409]).toContain(reply.status);
});

test("after a crash each repeat is answered, and no device is added twice", async () => {
  const other = await gateway.account({ "devices-max": 20 });
  await other.createKey();
  const wishes = Array.from({ length: 20 }, () => ({ key: freshKey(), device: freshNumber() }));
  const answered = new Set<string>();
  const asked = wishes.map(async ({ key, device }) => {
    const reply = await other.addDevice({ device }, keyed(key)).catch(() => undefined);
    if (reply?.status === 200) answered.add(key);
    if (answered.size === 1) await gateway.kill();
  });
  await Promise.all(asked);
  await gateway.start();
  for (const { key, device } of wishes) {
    const repeat = await other.addDevice({ device }, keyed(key));
    expect(repeat.status).toBe(200);
    if (answered.has(key)) expect(repeat.headers["idempotent-replayed"]).toBe("true");
  }
  expect(await gateway.json("device", "list", other.id)).toHaveLength(20);
});

test.each([1, 255])("a key of %d characters is a key", async (length) => {
  const body = a();
  const key = freshKey().padStart(length, "k").slice(-length);
  const first = expectAccepted(await account.send(body, keyed(key)));
  expect(expectAccepted(await account.send(body, keyed(key)))).toBe(first);
});

test.each(["", "k".repeat(256)])("the key %j is refused", async (key) => {
  const replies = [
    await account.send(a(), keyed(key)),
    await account.addDevice({ device: freshNumber() }, keyed(key)),
  ];
  for (const reply of replies) {
    expectRefused(reply, ["Idempotency-Key tidak valid", "invalid", 400]);
  }
});
