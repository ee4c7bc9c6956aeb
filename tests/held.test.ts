// Messages of at-most-once accounts whose send was cut off by a crash: held until a person decides.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop } from "./support/account.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

let sink: Sink;
beforeAll(async () => void (sink = await Sink.open({ secure: false })));
afterAll(() => sink.close());

test("a person fails or releases what is held, with the server up or down", async () => {
  const gateway = await Gateway.create({
    settings: {
      "simulator.latency_ms": 60_000,
      "scheduler.window": 8,
      "outbound.allow_http_callbacks": true,
    },
  });
  const { account, device } = await shop(gateway, { credits: 10, delivery: "at-most-once" });
  const credit = async () => (await gateway.json("account", "show", account.id)).credit;
  const send = async (path: string) => {
    const message = freshText();
    const callbackStatus = sink.url(path);
    const body = { to: freshNumber(), from: device, message, Type: "text", callbackStatus };
    return { id: expectAccepted(await account.send(body)), message };
  };
  const up = await send("/up");
  const down = await send("/down");
  const released = await send("/released");
  const state = async (id: string) => (await gateway.json("message", "show", id)).state;
  for (const { id } of [up, down, released]) {
    await waitFor("the send to be under way", async () => (await state(id)) === "sending");
  }
  expect((await gateway.cli("message", "fail", up.id)).code).toBe(1); // It is not held.

  await gateway.kill();
  gateway.configure({ "simulator.latency_ms": 5 });
  await gateway.start();
  for (const { id } of [up, down, released]) {
    await waitFor("the message to be held", async () => (await state(id)) === "held");
  }
  expect(await credit()).toBe(7);

  const failed = await gateway.json("message", "fail", up.id);
  expect(failed).toMatchObject({ id: up.id, state: "failed", code: 500 });
  const told = await sink.request("/up");
  expect(told.json).toMatchObject({ requestId: up.id, code: 500, details: failed.details });
  expect(await credit()).toBe(8);
  const again = await gateway.cli("message", "fail", up.id);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain("only a held one can be failed");

  expect(await gateway.stop()).toBe(0);
  expect(await gateway.json("message", "fail", down.id)).toMatchObject({
    state: "failed",
    code: 500,
    details: failed.details,
  });
  expect((await gateway.cli("message", "fail", down.id)).code).toBe(1);
  expect(sink.at("/down")).toEqual([]);
  await gateway.start();
  expect((await sink.request("/down")).json).toMatchObject({ requestId: down.id, code: 500 });

  await gateway.json("message", "release", released.id);
  expect((await sink.request("/released")).json).toMatchObject({ code: 200 });
  expect(gateway.simulator.of(released.message)).toHaveLength(1);
  expect(gateway.simulator.of(up.message)).toEqual([]);
  expect(gateway.simulator.of(down.message)).toEqual([]);
  expect(await credit()).toBe(9);
  for (const path of ["/up", "/down", "/released"]) expect(sink.at(path)).toHaveLength(1);
  await gateway.close();
});
