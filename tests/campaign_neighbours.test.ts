// Campaigns beside each other and beside the API: who goes first, and what each one's share is.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop } from "./support/account.ts";
import { Campaigns } from "./support/campaigns.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

const deviceDepth = 1024; // Messages of campaigns that a device without a pace holds at most.
const window = 16; // Sends in flight for each device.

let gateway: Gateway;
beforeAll(async () => {
  const settings = { "scheduler.window": window, "simulator.latency_ms": 2, "log.level": "warn" };
  gateway = await Gateway.create({ settings });
});
afterAll(() => gateway.close());

const list = (count: number): string =>
  `nomor\n${Array.from({ length: count }, freshNumber).join("\n")}\n`;

/** A campaign that is about to start; `text` tells its messages from others. */
async function ready(campaigns: Campaigns, devices: string[], rows: number) {
  const text = freshText("kabar");
  const id = await campaigns.create(devices, { message: text });
  await campaigns.upload(id, list(rows));
  return { id, text };
}

/** The texts that were sent so far, in their order. */
const sent = (): string[] => gateway.simulator.all().map(({ body }) => body);
const countOf = (texts: string[], text: string): number =>
  texts.filter((one) => one === text).length;

const untilSent = (text: string, count = 1): Promise<boolean> =>
  waitFor(`${count} sends`, () => countOf(sent(), text) >= count, 50_000);

test("a message of the API goes before the campaign that its device sends", async () => {
  const { account, device } = await shop(gateway);
  const campaigns = await Campaigns.of(account);
  const { id, text } = await ready(campaigns, [device], 4_000);
  await campaigns.act(id, "start");
  await untilSent(text, 20);
  for (let code = 0; code < 3; code += 1) {
    const message = freshText("kode");
    const body = { to: freshNumber(), from: device, message, Type: "text" };
    expect((await account.send(body)).status).toBe(200);
    const before = countOf(sent(), text);
    await untilSent(message);
    const order = sent();
    const passed = countOf(order.slice(0, order.indexOf(message)), text) - before;
    // Those that were in flight at its acceptance, and at most one lap of the dispatcher's.
    expect(passed).toBeLessThan(64 + window);
  }
  const { counts } = await campaigns.show(id);
  expect(counts.pending + counts.queued).toBeGreaterThan(0);
  await campaigns.end(id);
});

test("campaigns of one device share it, also one that begins later", async () => {
  const { account, device } = await shop(gateway);
  const campaigns = await Campaigns.of(account);
  const first = await ready(campaigns, [device], 4_000);
  const second = await ready(campaigns, [device], 400);
  await campaigns.act(first.id, "start");
  await untilSent(first.text, 20);
  await campaigns.act(second.id, "start");
  await untilSent(second.text, 400);
  const order = sent();
  const begin = order.indexOf(second.text);
  // What its device held of the first one when the second one began goes before it.
  expect(countOf(order.slice(0, begin), first.text)).toBeLessThan(2 * deviceDepth);
  const shared = order.slice(begin, order.lastIndexOf(second.text));
  const share = countOf(shared, first.text) / (countOf(shared, second.text) + 1);
  expect(share).toBeGreaterThan(0.4);
  expect(share).toBeLessThan(2.5);
  await campaigns.end(first.id);
});

test("an account's many campaigns do not delay another account's", async () => {
  const many = await shop(gateway);
  const busy = await Campaigns.of(many.account);
  const devices = [many.device, await many.account.device(), await many.account.device()];
  const crowd: Awaited<ReturnType<typeof ready>>[] = [];
  while (crowd.length < 8) crowd.push(await ready(busy, devices, 800));
  const other = await shop(gateway);
  const honest = await Campaigns.of(other.account);
  const own = await ready(honest, [other.device], 500);
  await Promise.all(crowd.map(({ id }) => busy.act(id, "start")));
  await untilSent(crowd[0]!.text, 20);
  await honest.act(own.id, "start");
  const begin = sent().length;
  await untilSent(own.text, 500);
  const order = sent();
  const beside = order.slice(begin, order.lastIndexOf(own.text));
  const crowdTexts = new Set(crowd.map(({ text }) => text));
  // Meanwhile their three devices send what they hold, and after that as much each as its own.
  const ofCrowd = beside.filter((text) => crowdTexts.has(text)).length;
  expect(ofCrowd).toBeLessThan(3 * (deviceDepth + 500));
  const left = await Promise.all(crowd.map(({ id }) => busy.show(id)));
  expect(left.some(({ counts }) => counts.pending > 0)).toBe(true);
  await Promise.all(crowd.map(({ id }) => busy.end(id)));
});

test("campaigns of one account take turns, however many recipients one has", async () => {
  const { account, device } = await shop(gateway);
  const another = await account.device();
  const campaigns = await Campaigns.of(account);
  const large = await ready(campaigns, [device], 4_000);
  const small = await ready(campaigns, [another], 200);
  await campaigns.act(large.id, "start");
  await untilSent(large.text, 20);
  await campaigns.act(small.id, "start");
  expect((await campaigns.until(small.id, "finished", 50_000)).counts.sent).toBe(200);
  const { counts } = await campaigns.show(large.id);
  expect(counts.pending + counts.queued).toBeGreaterThan(0);
  await campaigns.end(large.id);
});
