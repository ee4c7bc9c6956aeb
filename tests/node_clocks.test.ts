// Two machines whose clocks are an hour wrong, one ahead and one behind. The database's clock says
// who is gone, so each takes over in time; nothing is lost, nothing is sent twice, and what is due
// while nobody works is not sent before.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster, takeover } from "./support/cluster.ts";
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
const slack = 5_000; // Milliseconds, on a busy machine.

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
  const later = { ...body(), delay: hour / 2 };
  const began = performance.now();
  for (const one of waiting) {
    expectAccepted(await cluster.accountAt(first).send({ ...one, delay }));
  }
  expectAccepted(await cluster.accountAt(first).send(later));
  await first.kill();
  const killed = performance.now();
  expect(await cluster.successorOf(first)).toBe(second);
  expect(performance.now() - killed).toBeLessThan(takeover);

  const sent = (message: string) =>
    cluster.attempts().filter((attempt) => attempt.body === message).length;
  await waitFor("the first of them", () => waiting.some(({ message }) => sent(message)), 30_000);
  expect(performance.now() - began).toBeGreaterThan(delay * 1_000);
  await waitFor("all of them", () => waiting.every(({ message }) => sent(message)), 30_000);
  // The time in which nobody worked may count twice.
  expect(performance.now() - began).toBeLessThan(delay * 1_000 + takeover + slack);

  const next = body();
  expectAccepted(await cluster.accountAt(second).send(next));
  expect((await second.simulator.attempt(next.message)).result).toBe("sent");
  for (const { message } of [...waiting, next]) expect(sent(message)).toBe(1);
  // One whose clock is ahead takes the difference for time that has passed (docs/scaling.md).
  if (ahead > 0) expect(sent(later.message)).toBe(0);

  const visitor = Object.assign(new PersonClient(second), { cookie });
  expect((await visitor.ask("GET", "/session")).status).toBe(200);
  expect((await visitor.signIn(who)).status).toBe(200);

  // Back again, the difference does not count once more.
  await cluster.start(first);
  expect(await second.stop()).toBe(0);
  expect(await cluster.successorOf(second)).toBe(first);
  await waitFor("readiness", () => isReady(first));
  const last = body();
  expectAccepted(await cluster.accountAt(first).send(last));
  expect((await first.simulator.attempt(last.message)).result).toBe("sent");
  if (ahead > 0) expect(sent(later.message)).toBe(0);
  await cluster.close();
});

const isReady = (gateway: Gateway) =>
  exchange({ method: "GET", url: `${gateway.url}/readyz` }).then(
    ({ status }) => status === 200,
    () => false,
  );

/** By how many seconds a gateway's clock is ahead, as its log says. */
function clockOf(gateway: Gateway): number {
  const { time } = JSON.parse(gateway.log.split("\n", 1)[0]!);
  return (Date.parse(time) - Date.now()) / 1_000;
}
