// Features for operators: health, metrics, logs, stopping, backups, one process a store.
import { Agent } from "node:http";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { sqliteTest } from "./support/engine.ts";
import { expectAccepted, expectRefused, expectSent, rows } from "./support/expect.ts";
import { freePort, Gateway } from "./support/gateway.ts";
import { exchange } from "./support/http.ts";
import { onPostgres } from "./support/postgres.ts";
import { waitFor } from "./support/wait.ts";
import { CANARY, freshNumber, freshText, simulated } from "./support/numbers.ts";

let gateway: Gateway;
let account: Account;
let device: string;

beforeAll(async () => {
  gateway = await Gateway.create();
  ({ account, device } = await shop(gateway));
});
afterAll(() => gateway.close());

const a = () => ({ to: freshNumber(), from: device, message: freshText(), Type: "text" });
const b = () => ({ to: freshNumber(), from: device, pesan: freshText(), Type: "text" });

test("healthz and readyz answer 200", async () => {
  for (const path of ["/healthz", "/readyz"]) {
    expect((await gateway.request({ method: "GET", path })).status).toBe(200);
  }
});

test("metrics count messages, and contain nobody's number, key or text", async () => {
  expectSent(await account.send(b()));
  await account.send({ ...b(), to: simulated("991001") });
  const answer = await gateway.request({ method: "GET", path: "/metrics" });
  expect(answer.status).toBe(200);
  expect(answer.text).toMatch(/^# TYPE merpati_\w+ counter$/m);
  for (const forbidden of [
    device,
    account.key,
    account.key.slice(4, 20),
    account.webhookSecret,
    CANARY,
  ]) {
    expect(answer.text).not.toContain(forbidden);
  }
  expect(answer.text).not.toMatch(/628\d{8}/);
  // Every line is a comment or "name{labels} number".
  for (const line of answer.text.trim().split("\n")) {
    expect(line).toMatch(
      /^(# (HELP|TYPE) .+|[a-z_:][a-z0-9_:]*(\{.*\})? ([-+0-9.e]+|\+Inf|NaN))$/i,
    );
  }
});

test("metrics break figures down by route, reason, code, state and result", async () => {
  await account.send({ ...b(), to: simulated("991001") });
  expectRefused(await account.send({ ...a(), from: freshNumber() }), rows.sender);
  const { text } = await gateway.request({ method: "GET", path: "/metrics" });
  for (const line of [
    /^merpati_http_answers_total\{route="\/v1\/send",status="4xx"\} [1-9]/m,
    /^merpati_requests_refused_total\{reason="sender_invalid"\} [1-9]/m,
    /^merpati_messages_finished_total\{state="failed",code="1001"\} [1-9]/m,
    /^merpati_devices\{state="connected"\} [1-9]/m,
    /^merpati_callback_attempts_total\{result="delivered"\} \d/m,
    /^merpati_commit_size_operations_bucket\{le="1"\} [1-9]/m,
    /^merpati_store_bytes [1-9]/m,
  ]) {
    expect(text).toMatch(line);
  }
});

test("docs/operations.md lists every metric, and no other", async () => {
  const { text } = await gateway.request({ method: "GET", path: "/metrics" });
  const served = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(
    ([, name, kind]) => `${name} ${kind}`,
  );
  const page = readFileSync(resolve(import.meta.dirname, "../docs/operations.md"), "utf8");
  const listed = [...page.matchAll(/^\| `(merpati_\w+)(?:\{.*?\})?` \| (\w+) \|/gm)].map(
    ([, name, kind]) => `${name} ${kind}`,
  );
  expect(listed.sort()).toEqual(served.sort());
});

test("with metrics.token set, only who has it reads the metrics", async () => {
  const token = "operator-token-of-the-tests";
  const guarded = await Gateway.create({ settings: { "metrics.token": token } });
  guarded.secrets.add(token);
  try {
    const get = (headers = {}) => guarded.request({ method: "GET", path: "/metrics", headers });
    expect((await get()).status).toBe(401);
    expect((await get({ authorization: "Bearer operator-token-of-others" })).status).toBe(401);
    expect((await get({ authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await guarded.cli("config", "show")).stdout).not.toContain(token);
  } finally {
    await guarded.close();
  }
});

test("logs contain no text, key or number", async () => {
  expectAccepted(await account.send(a()));
  expectRefused(await account.send({ ...a(), from: freshNumber() }), rows.sender);
  expectRefused(await account.send(a(), { key: account.key.slice(0, -1) + "!" }), rows.key);
  await account.send(`{"message":"${CANARY}`);
  await account.send({ ...a(), callbackStatus: `https://ani:${CANARY}@toko.example.com/` });
  expect(gateway.log.trim().split("\n").length).toBeGreaterThan(0);
  expect(gateway.log).not.toContain(CANARY);
  expect(gateway.log).not.toContain(account.key);
  for (const line of gateway.log.trim().split("\n"))
    expect(() => JSON.parse(line), line).not.toThrow();
});

test("several addresses serve the API, and one of their own the metrics", async () => {
  const [second, own] = [await freePort(), await freePort()];
  const server = await Gateway.create({ start: false });
  try {
    server.configure({
      "http.listen": [`127.0.0.1:${server.port}`, `127.0.0.1:${second}`],
      "metrics.listen": `127.0.0.1:${own}`,
    });
    await server.start();
    const status = async (port: number, path: string) =>
      (await exchange({ method: "GET", url: `http://127.0.0.1:${port}${path}` })).status;
    for (const port of [server.port, second]) {
      expect(await status(port, "/readyz")).toBe(200);
      expect(await status(port, "/metrics")).toBe(404);
    }
    expect(await status(own, "/metrics")).toBe(200);
    expect(await status(own, "/v1/send")).toBe(404);
  } finally {
    await server.close();
  }
});

test("the store's files are for their owner alone", () => {
  for (const ending of onPostgres ? [".key", ".lock"] : ["", ".key", ".lock"]) {
    const file = gateway.own(ending);
    expect(existsSync(file), file).toBe(true);
    expect(statSync(file).mode & 0o077, file).toBe(0);
  }
});

test("a second process on the same store is refused, and the first goes on", async () => {
  const port = await freePort();
  const second = await gateway.cli("--set", `http.listen=127.0.0.1:${port}`, "serve");
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(gateway.own(".lock"));
  expectSent(await account.send(b()));
});

sqliteTest("a backup of the running server restores everything accepted before it", async () => {
  const waiting = { ...a(), delay: 4 };
  const id = expectAccepted(await account.send(waiting));
  const file = join(gateway.folder, "backup.db");
  expect((await gateway.cli("backup", file)).code).toBe(0);
  expect((await gateway.cli("backup", file)).code).toBe(1); // An existing file is not overwritten.
  const restored = await Gateway.create({
    settings: {
      "store.url": `sqlite:${file}`,
      "store.key_file": gateway.own(".key"),
    },
  });
  try {
    expect(await restored.json("message", "show", id)).toMatchObject({
      state: expect.any(String),
    });
    expect((await restored.simulator.attempt(waiting.message)).result).toBe("sent");
    const text = freshText();
    const reply = await restored.request({
      method: "POST",
      path: "/v1/send",
      headers: { authorization: `Bearer ${account.key}` },
      body: JSON.stringify({ ...b(), pesan: text }),
    });
    expect(reply.status).toBe(200);
  } finally {
    await restored.close();
  }
});

test("what is changed on a stopped server's store holds when it starts", async () => {
  const server = await Gateway.create();
  try {
    const own = await shop(server, { credits: 3 });
    const down = await own.account.device();
    const revoked = await own.account.createKey();
    const body = () => ({
      to: freshNumber(),
      from: own.device,
      message: freshText(),
      Type: "text",
    });
    const cancelled = { ...body(), delay: 3 };
    const id = expectAccepted(await own.account.send(cancelled));
    const kept = { ...body(), delay: 3 };
    expectAccepted(await own.account.send(kept));
    expect(await server.stop()).toBe(0);
    await server.json("account", "topup", own.account.id, "5");
    await server.json("key", "revoke", revoked.id);
    await server.json("device", "disconnect", down);
    await server.json("message", "cancel", id);
    await server.start();
    expect(await server.json("account", "show", own.account.id)).toMatchObject({ credit: 7 });
    expectRefused(await own.account.send(body(), { key: revoked.key }), rows.key);
    expectRefused(await own.account.send({ ...body(), from: down }), rows.disconnected);
    await server.simulator.attempt(kept.message);
    expect(server.simulator.of(cancelled.message)).toEqual([]);
  } finally {
    await server.close();
  }
});

test("SIGTERM finishes what is under way, and exits 0", async () => {
  const slow = await Gateway.create({ settings: { "simulator.latency_ms": 2000 } });
  try {
    const own = await shop(slow);
    const pesan = freshText();
    const body = { to: freshNumber(), from: own.device, pesan, Type: "text" };
    const answered = own.account.send(body).catch(() => undefined);
    await waitFor("the send to be under way", async () =>
      (await slow.request({ method: "GET", path: "/metrics" })).text.includes(
        "merpati_sends_in_flight 1\n",
      ),
    );
    const later = own.account.send({ ...body, pesan: freshText(), delay: 30 });
    await waitFor("both to be kept", async () => (await slow.json("message", "list")).length === 2);
    expect(await slow.stop()).toBe(0);
    expect((await answered)?.json.data.status).toBe("sent");
    expect((await later).json.data.status).toBe("pending");
    expect(slow.simulator.of(pesan)).toHaveLength(1);
    await slow.start();
    const states = (await slow.json("message", "list")).map((one: any) => one.state);
    expect(states).toEqual(["pending", "sent"]); // The newest first.
    expect(slow.simulator.of(pesan)).toHaveLength(1);
  } finally {
    await slow.close();
  }
});

test.each(["SIGINT", "SIGHUP"] as const)("%s stops it in order, too", async (signal) => {
  const server = await Gateway.create();
  try {
    expect(await server.stop(signal)).toBe(0);
    expect(server.log).toContain("stopped");
  } finally {
    await server.close();
  }
});

test("while it stops, idle connections do not hold it up", async () => {
  const server = await Gateway.create();
  const agent = new Agent({ keepAlive: true });
  const idle = await server.request({ method: "GET", path: "/healthz", agent });
  expect(idle.status).toBe(200);
  const start = Date.now();
  expect(await server.stop()).toBe(0);
  expect(Date.now() - start).toBeLessThan(10_000);
  agent.destroy();
  await server.close();
});
