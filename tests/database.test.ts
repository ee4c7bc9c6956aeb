// A gateway whose store is in PostgreSQL, and what it does while the database is away.
import { chmodSync, statSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted, expectRefused, rows } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { exchange } from "./support/http.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { Database, PostgresServer } from "./support/postgres.ts";
import { waitFor } from "./support/wait.ts";

const password = "rahasia-basis-data";

let server: PostgresServer;
let gateway: Gateway;
let account: Account;
let device: string;

/** A gateway with a database of its own, whose URL has a password, and a host that is not there. */
async function create(start: boolean): Promise<Gateway> {
  const made = await Gateway.create({
    database: through(server.createDatabase()),
    settings: { "outbound.allow_http_callbacks": true },
    start,
  });
  made.secrets.add(password);
  return made;
}

function through(database: Database): Database {
  const url = database.url.replace("@", `:${password}@`).replace("host=", "host=/nowhere,");
  return Object.assign(database, { url });
}

beforeAll(async () => {
  server = await PostgresServer.open();
  gateway = await create(true);
  ({ account, device } = await shop(gateway));
});
afterAll(async () => {
  await gateway.close();
  await server.close();
});

const body = () => ({ to: freshNumber(), from: device, message: freshText(), Type: "text" });

async function ask(path: string) {
  return exchange({ method: "GET", url: gateway.url + path });
}

async function untilReady(): Promise<void> {
  const isReady = async () => (await ask("/readyz").catch(() => undefined))?.status === 200;
  await waitFor("readiness", isReady, 30_000);
}

test("a start needs a key file, and says so before it connects", async () => {
  gateway.configure({ "store.key_file": "" });
  const refused = await gateway.cli("account", "list");
  gateway.configure({});
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("store.key_file must be set");
  expect(refused.stderr).not.toContain(password);
});

test("its own files are in its folder, for their owner alone", () => {
  for (const ending of [".key", ".lock", ".sock"]) {
    expect(statSync(gateway.own(ending)).mode & 0o077, ending).toBe(0);
  }
});

test("the password of the database is shown nowhere", async () => {
  const shown = [
    await gateway.cli("config", "show"),
    await gateway.cli("config", "show", "--json"),
    await gateway.cli("doctor"),
    await gateway.cli("doctor", "--json"),
  ];
  expect(shown[0]!.stdout).toContain("merpati:***@");
  for (const { stdout, stderr } of shown) expect(stdout + stderr).not.toContain(password);
  expect((await ask("/metrics")).text).not.toContain(password);
});

test("a copy is refused with what to do instead", async () => {
  const refused = await gateway.cli("backup", gateway.own("-copy"));
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("pg_dump");
});

test("while the database is away nothing is acknowledged, and then all goes on", async () => {
  const reader = await account.createKey({ scopes: "messages:read" });
  const list = () =>
    gateway.request({
      method: "GET",
      path: "/v1/messages",
      headers: { authorization: `Bearer ${reader.key}` },
    });
  expect((await list()).status).toBe(200);
  const before = { ...body(), delay: 5 };
  expectAccepted(await account.send(before));
  await server.stop("immediately");
  const refused = await account.send(body());
  expectRefused(refused, rows.storageUnavailable);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  const added = await account.addDevice({ device: freshNumber() });
  expectRefused(added, rows.storageUnavailable);
  const unlisted = await list();
  expect(unlisted.status).toBe(503);
  expect(Number(unlisted.headers["retry-after"])).toBeGreaterThan(0);
  expect(unlisted.text).not.toContain(server.folder);
  await waitFor("readiness to turn", async () => (await ask("/readyz")).status === 503);
  expect((await ask("/readyz")).text).toContain('"part":"store"');
  expect((await ask("/healthz")).status).toBe(200);
  await server.start();
  await untilReady();
  expect((await list()).status).toBe(200);
  const after = body();
  expectAccepted(await account.send(after));
  for (const { message } of [before, after]) {
    expect((await gateway.simulator.attempt(message)).result).toBe("sent");
  }
  expect((await ask("/metrics")).text).toMatch(/merpati_store_reconnects_total [1-9]/);
});

test("SIGTERM ends a gateway whose database is away, also one that waits for it", async () => {
  await server.stop();
  expect(await gateway.stop()).toBe(0);
  gateway.launch();
  await waitFor("the wait", () => gateway.log.includes("waits for the database"));
  expect(await gateway.stop()).toBe(0);
  await server.start();
});

test("a start waits for the database, and commands do not", async () => {
  await server.stop();
  gateway.launch();
  const listed = await gateway.cli("account", "list");
  expect(listed.code).toBe(1);
  expect(listed.stderr).not.toContain(password);
  await server.start();
  await untilReady();
  expectAccepted(await account.send(body()));
});

test("a database that fails ends the process, and the next start goes on", async () => {
  gateway.sql(
    "CREATE FUNCTION be_broken() RETURNS trigger LANGUAGE plpgsql AS " +
      "$$ BEGIN RAISE 'could not write' USING ERRCODE = 'io_error'; END $$",
  );
  gateway.sql("CREATE TRIGGER be_broken BEFORE INSERT ON message EXECUTE FUNCTION be_broken()");
  await expect(account.send(body())).rejects.toThrow();
  expect(await gateway.exitCode()).toBe(75);
  gateway.sql("DROP FUNCTION be_broken CASCADE");
  await gateway.start();
  expectAccepted(await account.send(body()));
});

test("one process of a machine has the store, and commands go through its socket", async () => {
  const second = await gateway.cli("--set", "http.listen=127.0.0.1:0", "serve");
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(gateway.own(".lock"));
  expect(await gateway.json("account", "list")).toHaveLength(1);
});

test("`migrate` makes the store, and commands use it while no server runs", async () => {
  const stopped = await create(false);
  try {
    const missing = await stopped.cli("account", "list");
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain("`merpati migrate`");
    const look = await stopped.cli("doctor");
    expect(look.stdout).toContain("`merpati migrate`");
    expect(look.stdout).toContain("the settings file with the database's password");
    chmodSync(stopped.config, 0o600);
    expect(await stopped.json("migrate")).toMatchObject({ store: "up to date" });
    expect(await stopped.json("account", "list")).toEqual([]);
    const made = await stopped.json("account", "create", "Toko", "--credits", "5");
    expect(await stopped.json("account", "show", made.id)).toMatchObject({ credit: 5 });
    stopped.secrets.add(made.webhook_secret);
    const healthy = await stopped.cli("doctor", "--json");
    expect(JSON.parse(healthy.stdout).healthy, healthy.stdout).toBe(true);
    await stopped.start();
    expect(await stopped.json("account", "show", made.id)).toMatchObject({ credit: 5 });
  } finally {
    await stopped.close();
  }
});
