// Records that answer "why has the message not left yet?" and "which callbacks were sent?".
import { beforeAll, expect, test } from "vitest";
import type { Account } from "./support/account.ts";
import { openShop } from "./support/callback_shop.ts";
import { expectAccepted } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import type { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let account: Account;
let device: string;
let sink: Sink;

beforeAll(async () => {
  const opened = await openShop();
  ({ gateway, sink, account, device } = opened);
  return opened.close;
});

const text = (more = {}) => ({
  to: freshNumber(),
  from: device,
  message: freshText(),
  Type: "text",
  ...more,
});
const show = (id: string) => gateway.json("message", "show", id);
const steps = (shown: any) => shown.timeline.map((step: any) => step.step);

test("a message tells what it waits for, is sent now, and tells what it went through", async () => {
  const id = expectAccepted(await account.send(text({ delay: 3600 })));
  const waiting = await show(id);
  expect(waiting.waits.for).toBe("due");
  expect(waiting.waits.until).toBe(waiting.due_at);
  await gateway.json("device", "disconnect", device);
  await gateway.json("message", "send-now", id);
  const held = await waitFor("it to wait for its device", async () => {
    const shown = await show(id);
    return shown.waits?.for === "device" ? shown : undefined;
  });
  expect(held.waits.text).toContain("not connected");
  await gateway.json("device", "connect", device);
  const sent = await waitFor("it to be sent", async () => {
    const shown = await show(id);
    return shown.state === "sent" ? shown : undefined;
  });
  expect(sent.waits).toBeNull();
  expect(steps(sent)).toEqual(expect.arrayContaining(["accepted", "delayed", "hastened", "sent"]));
});

test("a stopped server's store says what a message waits for, too", async () => {
  const id = expectAccepted(await account.send(text({ delay: 3600 })));
  expect(await gateway.stop()).toBe(0);
  expect((await show(id)).waits.for).toBe("due");
  await gateway.json("message", "send-now", id);
  expect((await show(id)).waits.for).toBe("queue");
  await gateway.start();
  await waitFor("it to be sent", async () => (await show(id)).state === "sent");
});

test("a failed message is sent again once, as a new one that names it", async () => {
  const failing = text({ to: "62811" }); // No possible number: it fails with 1002.
  const id = expectAccepted(await account.send(failing));
  await waitFor("it to fail", async () => (await show(id)).state === "failed");
  const retried = await gateway.json("message", "retry", id);
  expect(retried.retry_of).toBe(id);
  expect(retried.id).not.toBe(id);
  expect((await show(id)).retried_as).toBe(retried.id);
  expect((await show(retried.id)).retry_of).toBe(id);
  expect((await gateway.cli("message", "retry", id)).stderr).toContain(retried.id);
});

test("a message that was cancelled can be sent after all", async () => {
  const id = expectAccepted(await account.send(text({ delay: 3600 })));
  await gateway.json("message", "cancel", id);
  const again = await gateway.json("message", "retry", id);
  expect(again.retry_of).toBe(id);
  await waitFor("it to be sent", async () => (await show(again.id)).state === "sent");
});

test("a test callback is signed, answered and shown", async () => {
  const tested = await gateway.json("callback", "test", account.id, "--url", sink.url("/tested"));
  expect(tested).toMatchObject({ delivered: true, error: null });
  const got = await sink.request("/tested");
  expect(got.headers["webhook-signature"]).toMatch(/^v1,/);
  const refused = await gateway.cli("callback", "test", account.id, "--url", "http://10.1.2.3/");
  expect(refused.code).not.toBe(0);
});
