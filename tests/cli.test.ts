// The command line works the same with a running server and with a stopped server's store.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { binary, command } from "./support/binary.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber } from "./support/numbers.ts";
import { onPostgres } from "./support/postgres.ts";

describe.each(["running", "stopped"])("on a %s server", (state) => {
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await Gateway.create({ start: state === "running" })));
  afterAll(() => gateway.close());

  test("accounts are created, listed, shown, set and topped up", async () => {
    const made = await gateway.json(
      "account",
      "create",
      "Toko Ani",
      "--plan",
      "trial",
      "--credits",
      "10",
      "--rate",
      "5/s",
      "--expires",
      "2099-01-02T03:04:05Z",
      "--callback",
      "https://toko.example.com/status",
    );
    gateway.secrets.add(made.webhook_secret);
    expect(made).toMatchObject({ id: expect.any(String), name: "Toko Ani", plan: "trial" });
    expect(made.webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const shown = await gateway.json("account", "show", made.id);
    expect(shown).toMatchObject({ id: made.id, credit: 10, rate: "5/s" });
    expect(JSON.stringify(shown)).not.toContain(made.webhook_secret);
    await gateway.json("account", "set", made.id, "--plan", "paid", "--rate", "none");
    await gateway.json("account", "topup", made.id, "5");
    expect(await gateway.json("account", "show", made.id)).toMatchObject({
      plan: "paid",
      credit: 15,
      rate: "none",
      callback: "https://toko.example.com/status",
    });
    const list = await gateway.json("account", "list");
    expect(list.map((account: { id: string }) => account.id)).toContain(made.id);
  });

  test("keys are created, listed, rotated and revoked", async () => {
    const account = await gateway.account();
    const key = await account.createKey({ name: "kasir", revision: "A" });
    const successor = await gateway.json("key", "rotate", key.id);
    gateway.secrets.add(successor.key);
    expect(successor.key).not.toBe(key.key);
    await gateway.json("key", "revoke", key.id);
    expect(await gateway.json("key", "list", account.id)).toHaveLength(2);
  });

  test("devices are added, listed, disconnected, connected and removed", async () => {
    const account = await gateway.account();
    const number = freshNumber();
    const added = await gateway.json(
      "device",
      "add",
      account.id,
      number,
      "--connector",
      "simulator",
    );
    expect(added).toMatchObject({ number, connector: "simulator", state: "connected" });
    await gateway.json("device", "disconnect", number);
    const stateOf = async () => (await gateway.json("device", "list", account.id))[0].state;
    expect(await stateOf()).toBe("disconnected");
    await gateway.json("device", "connect", number);
    expect(await stateOf()).toBe("connected");
    await gateway.json("device", "remove", number);
    expect(await gateway.json("device", "list", account.id)).toEqual([]);
  });

  test("messages and callbacks are lists, empty ones too", async () => {
    expect(await gateway.json("message", "list", "--limit", "5")).toEqual([]);
    expect(await gateway.json("callback", "list", "--state", "exhausted")).toEqual([]);
  });

  test("what is not there is an error that says so", async () => {
    for (const args of [
      ["account", "show", "acc_999"],
      ["account", "topup", "acc_999", "1"],
      ["key", "create", "acc_999"],
      ["key", "revoke", "key_999"],
      ["device", "connect", "6280000000001"],
      ["message", "show", "00000000-0000-7000-8000-000000000000"],
      ["callback", "replay", "00000000-0000-7000-8000-000000000000"],
    ]) {
      const result = await gateway.cli(...args);
      expect({ args, code: result.code }).toEqual({ args, code: 1 });
      expect(result.stderr.trim().length).toBeGreaterThan(5);
      expect(result.stdout).toBe("");
    }
  });

  test("without --json the output is for people", async () => {
    const result = await gateway.cli("account", "list");
    expect(result.code).toBe(0);
    expect(() => JSON.parse(result.stdout)).toThrow();
  });

  test("doctor finds nothing wrong, config show shows no secret, version says one", async () => {
    const doctor = await gateway.cli("doctor");
    expect(doctor.code, doctor.stdout + doctor.stderr).toBe(0);
    expect((await gateway.cli("config", "show")).stdout).toContain("http.listen");
    expect((await gateway.cli("version")).stdout).toMatch(/\d+\.\d+\.\d+/);
    expect((await gateway.cli("migrate")).code).toBe(0);
  });
});

describe("usage errors exit with 2", () => {
  test.each([
    [[]],
    [["nothing"]],
    [["account"]],
    [["account", "create"]],
    [["account", "create", "x", "--plan", "gold"]],
    [["account", "create", "x", "--credits", "viele"]],
    [["account", "create", "x", "--rate", "5/year"]],
    [["account", "create", "x", "--expires", "tomorrow"]],
    [["serve", "--nonsense"]],
  ])("merpati %j", async (args) => {
    const result = await command(args, { folder: "/tmp" });
    expect(result.code, result.stdout + result.stderr).toBe(2);
    expect(result.stderr).not.toBe("");
  });
});

test.each([
  [["--help"]],
  [["account", "--help"]],
  [["account", "create", "--help"]],
  [["serve", "--help"]],
])("merpati %j teaches, and exits 0", async (args) => {
  const result = await command(args);
  expect(result.code).toBe(0);
  expect(result.stdout.length).toBeGreaterThan(80);
});

describe("configuration", () => {
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await Gateway.create({ start: false })));
  afterAll(() => gateway.close());

  test("a wrong key is an error that names file and line", async () => {
    const file = join(gateway.folder, "wrong.toml");
    writeFileSync(file, '# satu\n[http]\nlisten = "127.0.0.1:1"\nlissten = 5\n');
    const result = await command(["--config", file, "config", "show"]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("wrong.toml");
    expect(result.stderr).toMatch(/\b4\b/);
    expect(result.stderr).toContain("lissten");
  });

  test("a wrong value is an error that names its key", async () => {
    const file = join(gateway.folder, "wrong.toml");
    writeFileSync(file, '[api]\nrandom_delay_max = "viel"\n');
    const result = await command(["--config", file, "config", "show"]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("api.random_delay_max");
  });

  test("a server with wrong settings does not start", async () => {
    for (const args of [
      ["--set", "api.rate=abc", "serve"],
      ["--set", "x", "serve"],
      ["--set", "devices.default_connector=pigeon", "serve"],
    ]) {
      const result = await command(args, { folder: gateway.folder });
      expect({ args, code: result.code }).toEqual({ args, code: 2 });
      expect(result.stderr).toMatch(/^merpati: --set/);
    }
    const environment = { MERPATI_HTTP__LISSTEN: "127.0.0.1:1" };
    const result = await command(["serve"], { folder: gateway.folder, environment });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("did you mean MERPATI_HTTP__LISTEN?");
  });

  test("a flag beats the environment, which beats the file", async () => {
    const file = join(gateway.folder, "order.toml");
    writeFileSync(file, "[api]\nrandom_delay_max = 11\n");
    const show = async (args: string[], environment: Record<string, string>) =>
      (await command(["--config", file, ...args, "config", "show"], { environment })).stdout;
    const variable = { MERPATI_API__RANDOM_DELAY_MAX: "12" };
    expect(await show([], {})).toMatch(/random_delay_max\D*11s/);
    expect(await show([], variable)).toMatch(/random_delay_max\D*12s/);
    expect(await show(["--set", "api.random_delay_max=13"], variable)).toMatch(
      /random_delay_max\D*13s/,
    );
  });

  test("a missing file is an error", async () => {
    const result = await command(["--config", "/nowhere/merpati.toml", "config", "show"]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("/nowhere/merpati.toml");
  });
});

test("in a folder that was deleted, a command fails with a sentence and exit code 1", async () => {
  const gateway = await Gateway.create({ start: false });
  const gone = 'mkdir "$1" && cd "$1" && rmdir "$1" && shift && exec "$@"';
  const run = (folder: string, ...args: string[]) =>
    spawnSync("sh", ["-c", gone, "sh", join(gateway.folder, folder), binary, ...args], {
      encoding: "utf8",
    });
  const backup = run("a", "--config", gateway.config, "backup", "copy.db");
  expect(backup.stderr).toContain("merpati: ");
  expect(backup.stderr).toContain("absolute path");
  expect(backup.status).toBe(1);
  const copied = join(gateway.folder, "copy.db");
  await gateway.account();
  const made = run("b", "--config", gateway.config, "backup", copied).status;
  expect(made).toBe(onPostgres ? 1 : 0); // A database is not copied by the gateway.
  const listed = run("c", "account", "list");
  expect(listed.stderr).toContain("merpati: ");
  expect([1, 2]).toContain(listed.status);
  await gateway.close();
});
