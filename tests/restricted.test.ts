// A device that its platform restricts: it answers people who wrote, and new chats wait.
import { expect, test } from "vitest";
import { openShop, sendText } from "./support/callback_shop.ts";
import { expectSchema } from "./support/contract.ts";
import { simulated } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

const minute = 60_000;

test("new chats wait for a restriction's end, over kill -9 too, and answers go on", async () => {
  const { gateway, sink, account, close } = await openShop({ secure: false });
  try {
    const number = simulated("997004");
    await account.device(number, "--webhook", sink.url("/device"));
    const event = (name: string, after = 0) =>
      waitFor(name, () => sink.at("/device").slice(after).find((one) => one.json.event === name));
    const show = (id: string) => gateway.json("message", "show", id);
    const listed = async () =>
      (await gateway.json("device", "list")).find((one: any) => one.number === number);

    const wrote = simulated("997000");
    const began = Date.now();
    const first = await sendText(sink, account, number, wrote);
    await sink.requests(first.path, 1);
    const restricted = await event("device.restricted");
    expectSchema("DeviceEvent", restricted.json);
    const until = Date.parse(restricted.json.data.until);
    expect(until - began).toBeGreaterThan(minute - 1000);
    expect(until - began).toBeLessThan(minute + 15_000);
    await event("message.received");

    const before = await listed();
    expect(before).toMatchObject({ state: "restricted", state_reason: expect.any(String) });
    expect(Date.parse(before.restricted_until)).toBe(until);
    const chat = await sendText(sink, account, number);
    const answer = await sendText(sink, account, number, wrote);
    await sink.requests(answer.path, 1);
    const waiting = await waitFor("the wait", async () => {
      const shown = await show(chat.id);
      return shown.waits.for === "restricted" && shown;
    });
    expect(waiting).toMatchObject({ state: "pending", attempts: 0 });
    expect(Math.abs(Date.parse(waiting.waits.until) - until)).toBeLessThan(1000);
    expect(sink.at(chat.path)).toEqual([]);

    await gateway.kill();
    await gateway.start();
    expect(await listed()).toMatchObject({
      state: "restricted",
      restricted_until: before.restricted_until,
    });
    expect(sink.at(chat.path)).toEqual([]);
    const events = sink.at("/device").length;
    const [callback] = await sink.requests(chat.path, 1, 2 * minute);
    expect(callback!.json).toMatchObject({ status: "sent", code: 200 });
    expect(callback!.at).toBeGreaterThanOrEqual(until - 100);
    const back = await event("device.connected", events);
    expect(back.json.data).toEqual({ state: "connected" });
    expect(await listed()).toMatchObject({ state: "connected", restricted_until: null });
    const sent = await show(chat.id);
    expect(sent).toMatchObject({ state: "sent", attempts: 1 });
    expect(sent.timeline).toContainEqual(
      expect.objectContaining({ step: "waited", for: "restricted" }),
    );
  } finally {
    await close();
  }
}, 3 * minute);
