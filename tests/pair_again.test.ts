// A number is paired again while messages wait for it: none leaves before a person decides.
import { beforeAll, expect, test } from "vitest";
import type { Account } from "./support/account.ts";
import { onTerminal } from "./support/binary.ts";
import { openShop } from "./support/callback_shop.ts";
import { expectSchema } from "./support/contract.ts";
import { expectAccepted } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshText, simulated } from "./support/numbers.ts";
import type { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let sink: Sink;
let account: Account;

beforeAll(async () => {
  const opened = await openShop({ secure: false });
  ({ gateway, sink, account } = opened);
  return opened.close;
});

const show = async (number: string) =>
  (await gateway.json("device", "list")).find((one: any) => one.number === number);
const state = async (id: string) => (await gateway.json("message", "show", id)).state;

const pair = (number: string, ...flags: string[]) =>
  gateway.cli("device", "pair", number, "--code", ...flags);

/** A device that was paired, went down, and has a message waiting. */
async function down() {
  const number = simulated("992002");
  await account.device(number, "--webhook", sink.url(`/${number}`));
  expect((await pair(number)).code).toBe(0);
  const message = freshText();
  const body = { to: "6281234567890", from: number, message, Type: "text", delay: 2 };
  const id = expectAccepted(
    await account.send({ ...body, callbackStatus: sink.url(`/${number}/status`) }),
  );
  await gateway.json("device", "disconnect", number);
  return { number, message, id };
}

test("by default they are held until the device is resumed, over kill -9 too", async () => {
  const { number, message, id } = await down();
  const paired = await pair(number);
  expect(paired.code, paired.stderr).toBe(0);
  expect(paired.stdout).toContain(`merpati device resume ${number}`);
  expect(await show(number)).toMatchObject({ state: "connected", paused_reason: "paired_again" });
  const event = await waitFor("the webhook", () =>
    sink.at(`/${number}`).find(({ json }) => json.data.reason?.includes("Dipasangkan ulang")),
  );
  expect(event.json).toMatchObject({ event: "device.connected", data: { state: "connected" } });
  expectSchema("DeviceEvent", event.json);

  // A new message queues behind the held ones.
  const later = freshText();
  const body = { to: "6281234567890", from: number, message: later, Type: "text" };
  expectAccepted(await account.send(body));
  await gateway.kill();
  await gateway.start();
  expect(await state(id)).toBe("pending");
  expect(gateway.simulator.of(message)).toEqual([]);
  expect(gateway.simulator.of(later)).toEqual([]);
  await gateway.json("device", "resume", number);
  await gateway.simulator.attempt(message);
  await gateway.simulator.attempt(later);
});

test("they are sent where somebody chose so", async () => {
  const { number, message } = await down();
  expect((await pair(number, "--queue", "send")).code).toBe(0);
  await gateway.simulator.attempt(message);
  expect((await show(number)).paused_since).toBeNull();
});

test("they are cancelled where somebody chose so, and their callers told", async () => {
  const { number, message, id } = await down();
  expect((await pair(number, "--queue", "discard")).code).toBe(0);
  expect(await state(id)).toBe("cancelled");
  const [told] = await sink.requests(`/${number}/status`, 1);
  expect(told!.json).toMatchObject({ requestId: id, status: "failed", code: 500 });
  expect((await show(number)).paused_since).toBeNull();
  expect(gateway.simulator.of(message)).toEqual([]);
  // A connected device is not paired again, so its queue is not discarded either.
  const again = await pair(number, "--queue", "discard");
  expect(again.code).toBe(1);
  expect(again.stderr).toContain("device queue clear");
});

test("on a terminal it asks, and an empty answer holds", async () => {
  const { number } = await down();
  const args = ["--config", gateway.config, "device", "pair", number, "--code"];
  const { code, shown } = await onTerminal(args, { text: "[hold]", answer: "" });
  expect(code, shown).toBe(0);
  expect(shown).toContain(`1 messages wait for ${number}`);
  expect((await show(number)).paused_reason).toBe("paired_again");
});
