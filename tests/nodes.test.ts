// Two servers on one database: one works, the other takes over.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from "vitest";
import { Account, shop } from "./support/account.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { exchange } from "./support/http.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { PostgresServer } from "./support/postgres.ts";
import { waitFor } from "./support/wait.ts";

const lease = 6_000;
const deposed = 75;

let server: PostgresServer;
let first: Gateway;
let second: Gateway;
let account: Account;
let device: string;

beforeAll(async () => {
  server = await PostgresServer.open();
});
afterAll(() => server.close());

beforeEach(async () => {
  const database = server.createDatabase();
  const settings = { "cluster.lease": `${lease}ms`, "outbound.allow_http_callbacks": true };
  first = await Gateway.create({
    database,
    settings: { ...settings, "cluster.node": "first" },
  });
  ({ account, device } = await shop(first));
  second = await Gateway.create({
    database,
    settings: { ...settings, "cluster.node": "second", "store.key_file": first.own(".key") },
    start: false,
  });
  second.launch();
  await waitFor("the second server to wait", () => second.log.includes("another node is at work"));
});
afterEach(async () => {
  await Promise.all([first.abandon(), second.abandon()]);
});

const body = () => ({ to: freshNumber(), from: device, message: freshText(), Type: "text" });

const answers = (gateway: Gateway) =>
  exchange({ method: "GET", url: `${gateway.url}/readyz` }).then(
    ({ status }) => status === 200,
    () => false,
  );

/** How long it takes until the second server is ready, in milliseconds. */
async function untilSecondWorks(): Promise<number> {
  const began = performance.now();
  await waitFor("the second server to work", () => answers(second), 30_000);
  return performance.now() - began;
}

const states = async (gateway: Gateway) =>
  Object.fromEntries(
    (await gateway.json("node", "list")).map((node: any) => [
      node.name,
      [node.state, node.accounts],
    ]),
  );

const sent = (gateway: Gateway) => {
  try {
    return readFileSync(gateway.simulator.file, "utf8");
  } catch {
    return "";
  }
};

test("one works and the other waits, and both say so", async () => {
  expect(await answers(second)).toBe(false);
  expect(await states(first)).toEqual({ first: ["up", 1], second: ["up", 0] });
  const beside = await second.cli("account", "create", "warung");
  expect(beside.code).toBe(1);
  expect(beside.stderr).toContain("waits for the node that works");
  expect(await second.stop()).toBe(0);
  const elsewhere = await second.cli("account", "create", "warung");
  expect(elsewhere.code).toBe(1);
  expect(elsewhere.stderr).toContain('the node "first" runs on this database');
  expect(await states(second)).toEqual({ first: ["up", 1], second: ["gone", 0] });
});

test("the accounts of a server that is stopped are served before its lease would end", async () => {
  const accepted = await account.send({ ...body(), delay: 5 });
  expectAccepted(accepted);
  expect(await first.stop()).toBe(0);
  expect(await untilSecondWorks()).toBeLessThan(lease);
  expect(await states(second)).toEqual({ first: ["gone", 0], second: ["up", 1] });
  await waitFor("the message", () => sent(second).includes(device), 15_000);
});

test("a server that was killed is followed when its lease has ended", async () => {
  const accepted = await account.send({ ...body(), delay: 5 });
  expectAccepted(accepted);
  await first.kill();
  expect(await untilSecondWorks()).toBeLessThan(lease + 5_000);
  await waitFor("the message", () => sent(second).includes(device), 15_000);
});

test("a server that was killed and starts at once does not wait for itself", async () => {
  await second.stop();
  await first.kill();
  const began = performance.now();
  await first.start();
  expect(performance.now() - began).toBeLessThan(lease);
});

test("a server that was frozen sends nothing, and ends when it finds another at work", async () => {
  process.kill(first.pid, "SIGSTOP");
  expect(await untilSecondWorks()).toBeLessThan(lease + 5_000);
  const there = new Account(second, account.id, account.webhookSecret);
  expectAccepted(await there.send(body(), { key: account.key }));
  const before = sent(first);
  process.kill(first.pid, "SIGCONT");
  expect(await first.exitCode()).toBe(deposed);
  expect(sent(first)).toBe(before);
  expect(first.log).toContain("another node has taken over");
});
