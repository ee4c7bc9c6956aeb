// Accounts that move from one node to another, because a node joins, leaves or dies: order, pace,
// caps, campaigns, events and linked devices go on as if nothing had happened.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Campaigns } from "./support/campaigns.ts";
import { keyWith } from "./support/catalogue.ts";
import { Cluster, listens, probation, servedBy, type Shop, states } from "./support/cluster.ts";
import { expectAccepted } from "./support/expect.ts";
import type { Gateway, Settings } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { manage, Platform } from "./support/platform.ts";
import { PostgresServer } from "./support/postgres.ts";
import { Sink } from "./support/sink.ts";
import { pause, waitFor } from "./support/wait.ts";
import { Watcher } from "./support/watcher.ts";

const long = 180_000;

let server: PostgresServer;
beforeAll(async () => void (server = await PostgresServer.open()));
afterAll(() => server.close());

const textFrom = (device: string) => {
  return { to: freshNumber(), from: device, message: freshText(), Type: "text" };
};

test("a node that joins later has its part after a minute, and not before", async () => {
  const cluster = await Cluster.open(server, { nodes: ["node-1"], settings: listens });
  const [first] = cluster.gateways as [Gateway];
  const began = performance.now();
  const second = await cluster.add("node-2");
  const isEarly = () => performance.now() - began < probation - 5_000;
  for (let count = 0; isEarly(); count += 1) {
    const by = [first, second][count % 2]!;
    expectAccepted(await cluster.accountAt(by).send(textFrom(cluster.devices[0]!)));
    expect([...(await cluster.shards()).keys()]).toEqual([first]);
    await pause(1_000); // Until the minute has passed, which is under test.
  }
  await cluster.untilShared();
  expect(performance.now() - began).toBeGreaterThan(probation - 1_000);
  for (const by of [first, second]) {
    expectAccepted(await cluster.accountAt(by).send(textFrom(cluster.devices[0]!)));
  }
  // Control: it is that minute for which it waits, and nothing else.
  const joined = performance.now();
  await cluster.add("node-3");
  await cluster.share();
  expect(performance.now() - joined).toBeLessThan(probation / 2);
  expect(await first.stop()).toBe(0);
  await cluster.untilShared();
  expect((await states(second))["node-1"]).toEqual(["gone", 0]);
  await cluster.close();
}, long);

describe("what waits", () => {
  let cluster: Cluster;
  let shops: Shop[];

  /** Nodes of which the first works for some accounts. */
  async function open(count: number, settings: Settings = {}): Promise<void> {
    cluster = await Cluster.open(server, {
      nodes: ["node-1"],
      settings: { ...listens, ...settings },
    });
    shops = [];
    while (shops.length < count) shops.push(await cluster.shopAt(cluster.gateways[0]!));
  }

  /** Moves half of the accounts to a node that joins, and the others when the first one leaves. */
  async function move(): Promise<void> {
    const [first] = cluster.gateways as [Gateway];
    await cluster.add("node-2");
    await cluster.share();
    expect(await first.stop()).toBe(0);
    await cluster.untilShared();
  }

  const sentFrom = (device: string) =>
    cluster
      .attempts()
      .filter((attempt) => attempt.from === device && attempt.result === "sent")
      .sort((one, other) => Date.parse(one.time) - Date.parse(other.time));

  test("is sent in its order, at the pace of its device", async () => {
    const gap = 1_000;
    const count = 20;
    await open(6);
    const [first] = cluster.gateways as [Gateway];
    for (const { devices } of shops) {
      await first.json("device", "set", devices[0]!, "--gap", `${gap}ms`, "--jitter", "0s");
    }
    const texts = new Map<string, string[]>();
    for (const { account, devices } of shops) {
      const bodies = Array.from({ length: count }, () => textFrom(devices[0]!));
      for (const body of bodies) expectAccepted(await account.send(body));
      texts.set(devices[0]!, bodies.map(({ message }) => message));
    }
    await move();
    for (const [device, expected] of texts) {
      const isDone = () => sentFrom(device).length >= count;
      await waitFor("all messages of a device", isDone, 2 * count * gap);
      const sent = sentFrom(device);
      expect(sent.map(({ body }) => body)).toEqual(expected);
      const times = sent.map(({ time }) => Date.parse(time));
      // The platform records a send slightly after it began, so on a busy machine the gaps vary.
      for (const [index, time] of times.slice(1).entries()) {
        expect(time - times[index]!).toBeGreaterThan(gap * 0.75);
      }
    }
    expect(cluster.gateways.every(({ simulator }) => simulator.all().length > 0)).toBe(true);
    await cluster.close();
  }, long);

  test("is held by the day's cap of its device, however often that moves", async () => {
    await open(4);
    const [first] = cluster.gateways as [Gateway];
    const cap = 3;
    for (const { account, devices } of shops) {
      await first.json("device", "set", devices[0]!, "--per-day", `${cap}`);
      for (let count = 0; count < 5; count += 1) {
        expectAccepted(await account.send(textFrom(devices[0]!)));
      }
      await waitFor("the cap", () => sentFrom(devices[0]!).length >= cap);
    }
    await move();
    const second = cluster.gateways[1]!;
    for (const { account, devices } of shops) {
      // A device without a cap shows that the account is at work again.
      const other = await servedBy(second, account).device();
      const body = textFrom(other);
      expectAccepted(await servedBy(second, account).send(body));
      await second.simulator.attempt(body.message);
      const days = sentFrom(devices[0]!).map(({ time }) => time.slice(0, "2026-11-20".length));
      for (const day of days) {
        expect(days.filter((each) => each === day).length).toBeLessThanOrEqual(cap);
      }
      await second.json("device", "set", devices[0]!, "--per-day", "none");
      await waitFor("the rest", () => sentFrom(devices[0]!).length === 5);
    }
    await cluster.close();
  }, long);

  test("of running campaigns goes to each recipient once", async () => {
    await open(4);
    const people = 150;
    const running: { campaigns: Campaigns; id: string; text: string }[] = [];
    for (const { account, devices } of shops) {
      const campaigns = await Campaigns.of(account);
      const text = freshText();
      const plan = { message: `${text} {{nama|Kak}}`, pace: { per_minute: 600 } };
      const id = await campaigns.create(devices, plan);
      const rows = Array.from({ length: people }, () => `${freshNumber()},Ani`);
      await campaigns.upload(id, `nomor,nama\n${rows.join("\n")}\n`);
      await campaigns.act(id, "start");
      running.push({ campaigns, id, text });
    }
    await move();
    const second = cluster.gateways[1]!;
    for (const { campaigns, id, text } of running) {
      const by = campaigns.by(second);
      await by.until(id, "finished", 60_000);
      const rows = await by.rows(id);
      expect(rows.map(({ state }) => state)).toEqual(Array.from({ length: people }, () => "sent"));
      const sent = cluster.attempts().filter(({ body }) => body.startsWith(text));
      expect(sent).toHaveLength(people);
      expect(new Set(sent.map(({ to }) => to)).size).toBe(people);
    }
    expect(cluster.gateways.every(({ simulator }) => simulator.all().length > 0)).toBe(true);
    await cluster.close();
  }, long);

  test("keeps nobody waiting while a callback of its account hangs", async () => {
    const sink = await Sink.open({ secure: false });
    sink.on("/hang", () => ({ status: 200, hang: true }));
    await open(6, { "callback.timeout": "20s" });
    const sendFrom = async ({ account, devices }: Shop, more = {}) =>
      expectAccepted(await account.send({ ...textFrom(devices[0]!), ...more }));
    for (const shop of shops) await sendFrom(shop, { callbackStatus: sink.url("/hang") });
    await sink.requests("/hang", shops.length);
    let moving = true;
    let longest = 0;
    const asked = shops.map(async (shop) => {
      while (moving) {
        const began = performance.now();
        await sendFrom(shop);
        await shop.account.gateway.json("message", "list", "--account", shop.account.id);
        longest = Math.max(longest, performance.now() - began);
      }
    });
    await cluster.add("node-2");
    await cluster.share();
    moving = false;
    await Promise.all(asked);
    expect(longest).toBeLessThan(8_000);
    await cluster.close();
    await sink.close();
  }, long);

  test("is told to those who watch, as after a restart", async () => {
    await open(1);
    const [{ account, devices }] = shops as [Shop];
    const key = await keyWith(account, ["send", "messages:read"]);
    const second = await cluster.add("node-2");
    const watcher = new Watcher(second.url, key);
    await watcher.begun();
    const id = expectAccepted(await account.send(textFrom(devices[0]!)));
    const seen = await watcher.until("message.updated", (data) => data.id === id);
    expect(await cluster.gateways[0]!.stop()).toBe(0);
    await waitFor("the stream to end", () => watcher.ended);
    const again = new Watcher(second.url, key, { lastId: seen.id });
    await again.begun();
    const there = servedBy(second, account);
    const next = expectAccepted(await there.send(textFrom(devices[0]!)));
    await again.until("message.updated", (data) => data.id === next && data.state === "sent");
    again.close();
    await cluster.close();
  });
});

test("a linked device moves with its account, without a new code", async () => {
  const platform = await Platform.start();
  const cluster = await Cluster.share(server, {
    nodes: ["node-1", "node-2"],
    settings: platform.settings,
  });
  const [first, second] = cluster.gateways as [Gateway, Gateway];
  const { account } = await cluster.shopAt(first, { devices: 0 });
  const [number, friend] = [freshNumber(), freshNumber()];
  await platform.ask("register", { number: friend });
  await platform.link(servedBy(second, account), number); // By way of the node that has it not.
  const texts: string[] = [];
  const send = async (node: Gateway, delay?: number) => {
    const body = { ...textFrom(number), to: friend, delay };
    expectAccepted(await servedBy(node, account).send(body));
    texts.push(body.message);
  };
  const shown = async (): Promise<string[]> =>
    (await platform.ask("shown", { number: friend })).messages.map(({ text }: any) => text);
  const untilShown = () =>
    waitFor("all messages", async () => (await shown()).length >= texts.length, 60_000);
  await send(first);
  await untilShown();
  const folder = join(second.folder, "auth_info");
  const refused = await second.cli("device", "export", number, "--baileys", folder);
  expect(refused.code).toBe(1); // Keys of devices leave only the machine that has them.
  expect(refused.stderr).toContain("node-1");

  // Stopped, and killed, while messages wait.
  for (const [leaver, end] of [
    [first, () => first.stop()],
    [second, () => second.kill()],
  ] as const) {
    const other = leaver === first ? second : first;
    await send(leaver, 5);
    await end();
    expect(await cluster.successorOf(leaver, account)).toBe(other);
    await send(other);
    await untilShown();
    const device = await manage(other, "GET", `/devices/${number}`);
    expect(device.state).toBe("connected");
    await cluster.start(leaver);
  }
  expect((await shown()).sort()).toEqual(texts.sort());
  await cluster.close();
  await platform.end();
}, long);
