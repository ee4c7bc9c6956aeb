// Two versions of the program on one database, during an upgrade. There is only one version yet, so
// the tests change the schema as the next one would.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Cluster } from "./support/cluster.ts";
import { expectAccepted } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { PostgresServer } from "./support/postgres.ts";
import { waitFor } from "./support/wait.ts";

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
});
afterEach(() => cluster.close());

const row = (name: string) =>
  cluster.database.query(`SELECT convert_from(value, 'UTF8') FROM meta WHERE name = '${name}'`);
const set = (name: string, value: number) =>
  cluster.database.query(
    `UPDATE meta SET value = convert_to('${value}', 'UTF8') WHERE name = '${name}'`,
  );
const send = (by: Gateway) => {
  const body = { to: freshNumber(), from: cluster.devices[0], message: freshText(), Type: "text" };
  return cluster.accountAt(by).send(body);
};
const sent = (by: Gateway, count: number) =>
  waitFor("the messages", () => by.simulator.all().length === count);

/** What a migration does that older programs need not know. */
async function migrateToNext(): Promise<number> {
  const known = Number((await row("schema_version"))[0]);
  await cluster.database.query("ALTER TABLE message ADD COLUMN colour text");
  await cluster.database.query("ALTER TABLE account ADD COLUMN colour text NOT NULL DEFAULT ''");
  await cluster.database.query("CREATE TABLE palette(name text PRIMARY KEY)");
  await set("oldest_program", known);
  await set("schema_version", known + 1);
  return known;
}

test("an older program works beside the next until that keeps the schema to itself", async () => {
  const accepted = [await send(first)];
  const known = await migrateToNext();
  accepted.push(await send(first));
  await sent(first, 2);

  const third = await cluster.create("third");
  expect((await third.cli("migrate")).code).toBe(0);
  expect(await first.stop()).toBe(0);
  await waitFor("the second server to work", () => second.isReady(), 30_000);
  accepted.push(await send(second));
  await sent(second, 1);
  for (const one of accepted) expectAccepted(one);
  expect(await second.json("account", "list")).toHaveLength(1);

  await set("oldest_program", known + 1);
  accepted.push(await send(second)); // It goes on.
  await sent(second, 2);
  third.launch();
  expect(await third.exitCode()).toBe(78);
  expect(third.log).toContain(`the store's schema is version ${known + 1}`);
});

test("a program does not copy a store whose schema has more than it knows", async () => {
  await first.stop();
  await second.stop();
  const known = await migrateToNext();
  const target = `sqlite:${first.folder}/copy.db`;
  const copied = await first.cli("store", "copy", cluster.database.url, target);
  expect(copied.code).toBe(1);
  expect(copied.stderr).toContain(`version ${known + 1}, this program copies ${known}`);
});
