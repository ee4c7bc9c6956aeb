// Every outcome that the simulator can play, and the caller's answers and callbacks.
import { beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { openShop, sendText } from "./support/callback_shop.ts";
import { certificates } from "./support/certificates.ts";
import { expectSchema } from "./support/contract.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import type { Sink } from "./support/sink.ts";

let gateway: Gateway;
let sink: Sink;
let account: Account;
let device: string;

beforeAll(async () => {
  const opened = await openShop({ settings: { "scheduler.retry_first": "500ms" } });
  ({ gateway, sink, account, device } = opened);
  return opened.close;
});

const send = (to: string | number) => sendText(sink, account, device, to);

test.each([
  ["991001", 1001, "Nomor tujuan tidak terdaftar"],
  ["991002", 1002, "Nomor tujuan tidak valid"],
  ["991003", 1003, "Jenis file tidak didukung"],
  ["995002", 500, "Platform menolak pesan"],
] as const)("a recipient in %s: callback %d, %s", async (ending, code, details) => {
  const to = simulated(ending);
  const { message, path, id } = await send(to);
  const { json } = await sink.request(path);
  expectSchema("DeliveryStatus", json);
  expect(json).toMatchObject({
    requestId: id,
    status: "failed",
    code,
    details,
    to: Number(to),
    device: Number(device),
  });
  expect(gateway.simulator.of(message)).toMatchObject([{ attempt: 1, result: "failed", code }]);
});

test("a recipient in 995000 fails twice in passing, then is sent: one callback", async () => {
  const { message, path } = await send(simulated("995000"));
  const { json } = await sink.request(path, 50_000);
  expect(json).toMatchObject({ status: "sent", code: 200 });
  const attempts = gateway.simulator.of(message);
  expect(attempts.map((one) => [one.attempt, one.result])).toEqual([
    [1, "retry"],
    [2, "retry"],
    [3, "sent"],
  ]);
  expect(sink.at(path)).toHaveLength(1);
});

test("a recipient in 995001 never succeeds: it is given up with code 500", async () => {
  const impatient = await Gateway.create({
    settings: {
      "outbound.ca_file": certificates().caFile,
      "scheduler.give_up": "6s",
      "scheduler.retry_first": "1s",
    },
  });
  try {
    const { account, device } = await shop(impatient);
    const message = freshText();
    const body = { to: simulated("995001"), from: device, message, Type: "text" };
    expectAccepted(await account.send({ ...body, callbackStatus: sink.url("/given-up") }));
    const { json } = await sink.request("/given-up", 50_000);
    expectSchema("DeliveryStatus", json);
    expect(json).toMatchObject({ status: "failed", code: 500 });
    const attempts = impatient.simulator.of(message);
    expect(attempts.length).toBeGreaterThanOrEqual(2);
    expect(attempts.every((one) => one.result === "retry")).toBe(true);
  } finally {
    await impatient.close();
  }
});

test.each(["081234567890", "+6281234567890", "12", "6281234567890123", 12])(
  "the impossible recipient %j: callback 1002, and the platform never sees it",
  async (to) => {
    const { message, path, id } = await send(to);
    const { json } = await sink.request(path);
    expectSchema("DeliveryStatus", json);
    expect(json).toMatchObject({ requestId: id, status: "failed", code: 1002 });
    expect(json.to).toBe(Number(to));
    expect(gateway.simulator.of(message)).toEqual([]);
  },
);

test("a recipient of any length is reported, with the digits that fit a number", async () => {
  const { path, id } = await send("6".repeat(30_000));
  const { json, body } = await sink.request(path);
  expectSchema("DeliveryStatus", json);
  expect(json).toMatchObject({ requestId: id, status: "failed", code: 1002 });
  expect(body.toString()).toMatch(/"to":6{18},/);
  expect((await gateway.json("message", "show", id)).to).toBe("6".repeat(30_000));
  expect((await gateway.cli("message", "list")).stdout).not.toMatch(/6{200}/);
  expect(gateway.log).not.toContain("66666666");
});

test("a recipient that is no digits at all is reported as well", async () => {
  const { path } = await send("tante ani");
  const { json } = await sink.request(path);
  expectSchema("DeliveryStatus", json);
  expect(json.code).toBe(1002);
});

test("messages of one device leave in the order they were accepted", async () => {
  const { account, device: from } = await shop(gateway);
  const texts = Array.from({ length: 30 }, (_, index) =>
    freshText(`urutan ${String(index).padStart(2, "0")}`),
  );
  for (const message of texts) {
    expectAccepted(await account.send({ to: freshNumber(), from, message, Type: "text" }));
  }
  await gateway.simulator.attempt(texts.at(-1)!);
  for (const message of texts) await gateway.simulator.attempt(message);
  const seen = gateway.simulator
    .all()
    .filter((one) => one.from === from)
    .map((one) => one.body);
  expect(seen).toEqual(texts);
});
