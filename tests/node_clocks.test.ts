// Two machines whose clocks are an hour wrong, one ahead and one behind. The database's clock says
// who is gone and what is due, so each takes over in time; nothing is lost, nothing is sent twice,
// and no delayed message is sent before or long after its time.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster, servedBy, takeover } from "./support/cluster.ts";
import { expectAccepted } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { exchange } from "./support/http.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { person, PersonClient } from "./support/people.ts";
import { PostgresServer } from "./support/postgres.ts";
import { waitFor } from "./support/wait.ts";
import { clockAhead } from "./support/wrong_clock.ts";

const hour = 3_600; // Seconds.
const delay = 4; // Seconds; due while nobody works.
const laterDelay = 25; // Seconds; due when another one works.
const slack = 5_000; // Milliseconds, on a busy machine.
const early = 1_000; // How exactly it is known by how much a clock is wrong.

let server: PostgresServer;
beforeAll(async () => void (server = await PostgresServer.open()));
afterAll(() => server.close());

test.concurrent.each([
  { from: "ahead", to: "behind", ahead: hour },
  { from: "behind", to: "ahead", ahead: -hour },
])("a node whose clock is $to follows one whose clock is $from", async ({ ahead }) => {
  const cluster = await Cluster.open(server, {
    environments: { first: clockAhead(ahead), second: clockAhead(-ahead) },
  });
  const [first, second] = cluster.gateways as [Gateway, Gateway];
  expect(Math.round(clockOf(first) / hour)).toBe(Math.sign(ahead));
  expect(first.log).toContain("clock is not the database's");
  const body = () => {
    return { to: freshNumber(), from: cluster.devices[0], message: freshText(), Type: "text" };
  };
  const who = await person(first, `orang${ahead}@toko.example`, "--admin");
  const { cookie } = await PersonClient.signedIn(first, who);

  const waiting = Array.from({ length: 8 }, body);
  const later = { ...body(), delay: laterDelay };
  const latest = { ...body(), delay: hour / 2 };
  const began = Date.now();
  for (const one of waiting) {
    expectAccepted(await cluster.accountAt(first).send({ ...one, delay }));
  }
  expectAccepted(await cluster.accountAt(first).send(later));
  const accepted = Date.now();
  expectAccepted(await cluster.accountAt(first).send(latest));
  await first.kill();
  const killed = performance.now();
  expect(await cluster.successorOf(first)).toBe(second);
  expect(performance.now() - killed).toBeLessThan(takeover);

  const times = (message: string) =>
    sentAt(message, new Map([[first, ahead], [second, -ahead]]));
  const sent = (message: string) => times(message).length;
  await waitFor("all of them", () => waiting.every(({ message }) => sent(message)), 30_000);
  expect(performance.now() - killed).toBeLessThan(takeover + slack);
  for (const { message } of waiting) {
    expect(times(message)[0]! - began).toBeGreaterThan(delay * 1_000 - early);
  }

  const next = body();
  expectAccepted(await cluster.accountAt(second).send(next));
  expect((await second.simulator.attempt(next.message)).result).toBe("sent");
  await waitFor("the later one", () => sent(later.message), laterDelay * 1_000 + slack);
  expect(times(later.message)[0]! - began).toBeGreaterThan(laterDelay * 1_000 - early);
  expect(times(later.message)[0]! - accepted).toBeLessThan(laterDelay * 1_000 + slack);
  for (const { message } of [...waiting, next, later]) expect(sent(message)).toBe(1);
  expect(sent(latest.message)).toBe(0);

  const visitor = Object.assign(new PersonClient(second), { cookie });
  expect((await visitor.ask("GET", "/session")).status).toBe(200);
  expect((await visitor.signIn(who)).status).toBe(200);

  // Back again, the difference does not count either.
  await cluster.start(first);
  expect(await second.stop()).toBe(0);
  expect(await cluster.successorOf(second)).toBe(first);
  await waitFor("readiness", () => isReady(first));
  const last = body();
  expectAccepted(await cluster.accountAt(first).send(last));
  expect((await first.simulator.attempt(last.message)).result).toBe("sent");
  expect(sent(latest.message)).toBe(0);
  await cluster.close();
}, 120_000);

test("nodes that share accounts, an hour ahead and behind, send all in time", async () => {
  const cluster = await Cluster.share(server, {
    nodes: ["ahead", "behind"],
    environments: { ahead: clockAhead(hour), behind: clockAhead(-hour) },
  });
  const [ahead, behind] = cluster.gateways as [Gateway, Gateway];
  const shops = [await cluster.shopAt(ahead), await cluster.shopAt(behind)];
  const orders = shops.flatMap((shop) =>
    cluster.gateways.flatMap((by) =>
      [delay, laterDelay, hour / 2].map((seconds) => ({ shop, by, seconds, message: freshText() })),
    ),
  );
  const times = (message: string) =>
    sentAt(message, new Map([[ahead, hour], [behind, -hour]]));
  const asked = new Map<string, number>();
  for (const { shop, by, seconds, message } of orders) {
    const body = { to: freshNumber(), from: shop.devices[0], message, Type: "text" };
    asked.set(message, Date.now());
    expectAccepted(await servedBy(by, shop.account).send({ ...body, delay: seconds }));
  }
  const inTime = async (seconds: number) => {
    for (const { message } of orders.filter((order) => order.seconds === seconds)) {
      const [at] = await waitFor(
        "a delayed message",
        () => (times(message).length > 0 ? times(message) : undefined),
        seconds * 1_000 + 2 * slack,
      );
      expect(at! - asked.get(message)!).toBeGreaterThan(seconds * 1_000 - early);
      expect(at! - asked.get(message)!).toBeLessThan(seconds * 1_000 + slack);
    }
  };
  await inTime(delay);
  // What one of them still has to send moves to the other one.
  expect(await ahead.stop()).toBe(0);
  expect(await cluster.successorOf(ahead, shops[0]!.account)).toBe(behind);
  await inTime(laterDelay);
  for (const { message, seconds } of orders) {
    expect(times(message)).toHaveLength(seconds === hour / 2 ? 0 : 1);
  }
  await cluster.close();
}, 120_000);

const isReady = (gateway: Gateway) =>
  exchange({ method: "GET", url: `${gateway.url}/readyz` }).then(
    ({ status }) => status === 200,
    () => false,
  );

/** When a message was sent, in true time; `ahead` has by how many seconds clocks are wrong. */
function sentAt(message: string, ahead: Map<Gateway, number>): number[] {
  return [...ahead].flatMap(([gateway, seconds]) =>
    gateway.simulator.of(message).map(({ time }) => Date.parse(time) - seconds * 1_000),
  );
}

/** By how many seconds a gateway's clock is ahead, as its log says. */
function clockOf(gateway: Gateway): number {
  const { time } = JSON.parse(gateway.log.split("\n", 1)[0]!);
  return (Date.parse(time) - Date.now()) / 1_000;
}
