// Two servers on one database without cluster.listen: one works, the other takes over.
import { spawn, type ChildProcess } from "node:child_process";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from "vitest";
import { binary, environment } from "./support/binary.ts";
import { Cluster, lease, states } from "./support/cluster.ts";
import { expectAccepted } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { PostgresServer } from "./support/postgres.ts";
import { waitFor } from "./support/wait.ts";

const deposed = 75;

let server: PostgresServer;
let cluster: Cluster;
let first: Gateway;
let second: Gateway;

beforeAll(async () => {
  server = await PostgresServer.open();
});
afterAll(() => server.close());

beforeEach(async () => {
  cluster = await Cluster.open(server);
  [first, second] = cluster.gateways as [Gateway, Gateway];
  await waitFor("the second server to wait", () => second.log.includes("another node is at work"));
});
afterEach(() => cluster.close());

const send = (by: Gateway, more: object = {}) => {
  const body = { to: freshNumber(), from: cluster.devices[0], message: freshText(), Type: "text" };
  return cluster.accountAt(by).send({ ...body, ...more });
};

/** How long it takes until the second server is ready, in milliseconds. */
async function untilSecondWorks(): Promise<number> {
  const began = performance.now();
  await waitFor("the second server to work", () => second.isReady(), 30_000);
  return performance.now() - began;
}

test("one works and the other waits, and both say so", async () => {
  expect(await second.isReady()).toBe(false);
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
  expectAccepted(await send(first, { delay: 5 }));
  expect(await first.stop()).toBe(0);
  expect(await untilSecondWorks()).toBeLessThan(lease);
  expect(await states(second)).toEqual({ first: ["gone", 0], second: ["up", 1] });
  await waitFor("the message", () => second.simulator.all().length === 1);
});

test("a server that was killed is followed when its lease has ended", async () => {
  expectAccepted(await send(first, { delay: 5 }));
  await first.kill();
  expect(await untilSecondWorks()).toBeLessThan(lease + 5_000);
  await waitFor("the message", () => second.simulator.all().length === 1);
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
  expectAccepted(await send(second));
  process.kill(first.pid, "SIGCONT");
  expect(await first.exitCode()).toBe(deposed);
  expect(first.simulator.all()).toEqual([]);
  expect(first.log).toContain("another node has taken over");
});

describe("while no server works, a command that changes something", () => {
  beforeEach(async () => {
    await Promise.all([first.stop(), second.stop()]);
    second.log = "";
  });

  /** An import on the machine of the first server, whose file has no end yet. */
  async function startImport(): Promise<ChildProcess> {
    const importing = ["suppression", "import", "-", "--account", cluster.accountAt(first).id];
    const child = spawn(binary, ["--config", first.config, ...importing], {
      env: environment(),
      stdio: ["pipe", "ignore", "inherit"],
    });
    child.stdin!.write(`number\n${freshNumber()}\n`);
    await waitFor("the command to work", async () => (await states(second)).first?.[1] === 1);
    return child;
  }
  async function secondWaits(): Promise<void> {
    second.launch();
    await waitFor("the server to wait", () => second.log.includes("another node is at work"));
    expect(await second.isReady()).toBe(false);
  }
  const suppressed = () =>
    second.json("suppression", "list", "--account", cluster.accountAt(second).id);

  test("keeps a server waiting until it ends", async () => {
    const child = await startImport();
    await secondWaits();
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.stdin!.end();
    expect(await ended).toBe(0);
    expect(await untilSecondWorks()).toBeLessThan(lease);
    expect(await suppressed()).toHaveLength(1);
  });

  test("keeps it waiting for its lease when it is killed", async () => {
    const child = await startImport();
    await secondWaits();
    child.kill("SIGKILL");
    expect(await untilSecondWorks()).toBeLessThan(lease + 5_000);
    expect(await suppressed()).toHaveLength(0);
    expectAccepted(await send(second));
  });
});

const version = async () => {
  const row = "SELECT convert_from(value, 'UTF8') FROM meta WHERE name = 'schema_version'";
  return Number((await cluster.database.query(row))[0]);
};
/** As a migration does that permits no older program. */
const setVersion = (to: number) =>
  cluster.database.query(
    `UPDATE meta SET value = convert_to('${to}', 'UTF8') ` +
      "WHERE name IN ('schema_version', 'oldest_program')",
  );

test("a program neither uses nor changes a store whose schema it does not know", async () => {
  const known = await version();
  const third = await cluster.create("third");
  for (const other of [known - 1, known + 1]) {
    await setVersion(other);
    const why = `the store's schema is version ${other}, this program knows ${known}`;
    third.launch();
    expect(await third.exitCode()).toBe(78);
    expect(third.log).toContain(why);
    for (const command of [["migrate"], ["account", "list"]]) {
      const refused = await third.cli(...command);
      expect(refused.code, command[0]).toBe(1);
      expect(refused.stderr, command[0]).toContain(why);
    }
    expect(await version()).toBe(other);
  }

  // Whoever works goes on; whoever waits does not take over.
  expectAccepted(await send(first));
  await waitFor("the message", () => first.simulator.all().length === 1);
  expect(await first.stop()).toBe(0);
  expect(await second.exitCode()).toBe(deposed);
  expect(second.log).toContain(`the store's schema is version ${known + 1} now`);

  await setVersion(known);
  await second.start();
  expectAccepted(await send(second));
});
