// Devices with a pace: order, gap and daily cap, also across a restart.
import { afterAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

const gateways: Gateway[] = [];
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
});

async function pacedShop(...pace: string[]) {
  const gateway = await Gateway.create({ settings: { "simulator.dedupe": true } });
  gateways.push(gateway);
  const { account, device } = await shop(gateway);
  await gateway.json("device", "set", device, ...pace);
  return { gateway, account, device };
}

async function send(account: Account, device: string, delay: number): Promise<string> {
  const message = freshText("pace");
  const body = { to: freshNumber(), from: device, message, Type: "text", delay };
  return expectAccepted(await account.send(body));
}

const sentIds = (gateway: Gateway) =>
  gateway.simulator.all().map((line) => line.messageid.replace("sim-", ""));

async function recorded(gateway: Gateway, count: number): Promise<void> {
  await waitFor(`${count} outcomes to be stored`, async () => {
    const list = await gateway.json("message", "list", "--state", "sent");
    return list.length === count;
  });
}

test("a paced device sends by due time and keeps its gap over a crash", async () => {
  const gap = 4_000;
  const { gateway, account, device } = await pacedShop("--gap", `${gap}ms`);
  const [third, second, first] = [
    await send(account, device, 3),
    await send(account, device, 2),
    await send(account, device, 1),
  ];
  await recorded(gateway, 1);
  await gateway.kill();
  await gateway.start();
  await waitFor("all to be sent", () => sentIds(gateway).length === 3, 30_000);

  expect(sentIds(gateway)).toEqual([first, second, third]);
  const times = gateway.simulator.all().map((line) => Date.parse(line.time));
  // The platform records a send slightly after it began, so on a busy machine the gaps vary.
  for (const [index, time] of times.slice(1).entries()) {
    expect(time - times[index]!).toBeGreaterThan(gap * 0.75);
  }
});

test("the day's cap outlasts a crash, and what it holds up is not lost", async () => {
  const { gateway, account, device } = await pacedShop("--per-day", "3");
  const uncapped = await account.device();
  const held = await Promise.all(Array.from({ length: 5 }, () => send(account, device, 1)));
  await recorded(gateway, 3);
  await gateway.kill();
  await gateway.start();
  const other = await send(account, uncapped, 1);
  await waitFor("the other device to send", () => sentIds(gateway).includes(other));

  const days = gateway.simulator
    .all()
    .filter((line) => line.from === device)
    .map((line) => line.time.slice(0, "2026-11-20".length));
  for (const day of days) {
    expect(days.filter((each) => each === day).length).toBeLessThanOrEqual(3);
  }
  await gateway.json("device", "set", device, "--per-day", "none"); // Counts at once.
  await waitFor("the rest to be sent", () => held.every((id) => sentIds(gateway).includes(id)));
  expect(new Set(sentIds(gateway)).size).toBe(sentIds(gateway).length);
});
