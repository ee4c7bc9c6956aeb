// Delays: never early, punctual, drawn once, and durable.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";

let gateway: Gateway;
let account: Account;
let device: string;

beforeAll(async () => {
  gateway = await Gateway.create({ settings: { "api.random_delay_max": "3s" } });
  ({ account, device } = await shop(gateway));
});
afterAll(() => gateway.close());

/** Sends; resolves with the milliseconds from request and from answer until the platform had it. */
async function lateness(
  delay: number | string,
): Promise<{ sinceAsked: number; sinceAnswered: number }> {
  const message = freshText();
  const asked = Date.now();
  expectAccepted(
    await account.send({ to: freshNumber(), from: device, message, Type: "text", delay }),
  );
  const answered = Date.now();
  const at = Date.parse((await gateway.simulator.attempt(message)).time);
  return { sinceAsked: at - asked, sinceAnswered: at - answered };
}

test.concurrent.each([2, "2", 3, 5])(
  "a delay of %j seconds is kept: never early, and punctual",
  async (delay) => {
    const all = await Promise.all(Array.from({ length: 10 }, () => lateness(delay)));
    for (const { sinceAsked, sinceAnswered } of all) {
      expect(sinceAsked).toBeGreaterThanOrEqual(Number(delay) * 1000);
      expect(sinceAnswered).toBeLessThan(Number(delay) * 1000 + 2000);
    }
  },
);

test.concurrent("a shorter delay overtakes a longer one", async () => {
  const [long, short] = await Promise.all([lateness(5), lateness(2)]);
  expect(short!.sinceAsked).toBeLessThan(long!.sinceAsked);
});

test.concurrent("random delays lie between 1 and api.random_delay_max, and differ", async () => {
  const all = await Promise.all(Array.from({ length: 30 }, () => lateness("random")));
  for (const { sinceAsked, sinceAnswered } of all) {
    expect(sinceAsked).toBeGreaterThanOrEqual(1000);
    expect(sinceAnswered).toBeLessThan(3000 + 2000);
  }
  expect(new Set(all.map(({ sinceAsked }) => Math.round(sinceAsked / 1000))).size).toBeGreaterThan(
    1,
  );
});

test("a delayed message survives a stop and a kill, is sent once, and not early", async () => {
  const message = freshText();
  const overdue = freshText();
  const body = { to: freshNumber(), from: device, Type: "text" };
  const asked = Date.now();
  expectAccepted(await account.send({ ...body, message, delay: 8 }));
  expectAccepted(await account.send({ ...body, message: overdue, delay: 2 }));
  await gateway.restart();
  await gateway.kill();
  await gateway.start();
  const attempt = await gateway.simulator.attempt(message, 20_000);
  expect(Date.parse(attempt.time) - asked).toBeGreaterThanOrEqual(8000);
  expect(gateway.simulator.of(message)).toHaveLength(1);
  await gateway.simulator.attempt(overdue);
});

test("delayed and immediate messages of one device are each sent once", async () => {
  const texts = Array.from({ length: 200 }, () => freshText());
  const one = async (message: string, index: number) => {
    const body = { to: freshNumber(), from: device, message, Type: "text" };
    const delay = [undefined, 1, 3, 4][index % 4];
    expectAccepted(await account.send({ ...body, ...(delay && { delay }) }));
  };
  for (let index = 0; index < texts.length; index += 10) {
    await Promise.all(texts.slice(index, index + 10).map((text, at) => one(text, index + at)));
  }
  for (const text of texts) await gateway.simulator.attempt(text);
  const sent = gateway.simulator.all().map((attempt) => attempt.body);
  for (const text of texts) expect(sent.filter((body) => body === text)).toHaveLength(1);
});
