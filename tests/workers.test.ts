// Connectors in separate programs, correct and faulty ones.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { isAtPlatform, sendText } from "./support/callback_shop.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, simulated } from "./support/numbers.ts";
import { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

const root = join(import.meta.dirname, "..");
const scripted = join(root, "src/connector/process/worker/testdata/scripted_worker.py");

let gateway: Gateway;
let sink: Sink;
let account: Account;
let messages: string; // The text file that is the example's platform.

beforeAll(async () => {
  sink = await Sink.open({ secure: false });
  gateway = await Gateway.create({ start: false });
  messages = join(gateway.folder, "messages.txt");
  gateway.configure({
    "outbound.allow_http_callbacks": true,
    "scheduler.retry_first": "200ms",
    "workers.memory_max": "200MiB",
    "workers.textfile.command": ["python3", join(root, "examples/worker.py"), messages],
    "workers.scripted.command": ["python3", scripted],
    "workers.missing.command": ["no-such-program"],
  });
  await gateway.start();
  ({ account } = await shop(gateway));
});
afterAll(async () => {
  await gateway.close();
  await sink.close();
});

const add = (connector: string, number = freshNumber()) =>
  account.device(number, "--connector", connector, "--webhook", sink.url(`/${number}`));

const state = async (number: string) =>
  (await gateway.json("device", "list")).find((device: any) => device.number === number).state;

async function connected(connector: string): Promise<string> {
  const number = await add(connector);
  await gateway.json("device", "connect", number);
  await waitFor(`${number} to be connected`, async () => (await state(number)) === "connected");
  return number;
}

const send = (from: string, to: string) => sendText(sink, account, from, to);

const awaited: string[] = []; // The paths of the messages whose outcomes were awaited.

/** The message's outcome. The last test checks that no second one came. */
async function outcome(sent: { path: string }): Promise<any> {
  awaited.push(sent.path);
  const [callback] = await sink.requests(sent.path, 1);
  return callback!.json;
}

const pair = (number: string, flags: string[], answer: string) =>
  gateway.cliWith(answer, "device", "pair", number, ...flags, "--json");

/** The worker's process: the gateway's child that runs this program; 0: there is none. */
function worker(program: string): number {
  const runs = (pid: string) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const parent = stat.slice(stat.lastIndexOf(")")).split(" ")[2];
      return (
        Number(parent) === gateway.pid &&
        readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(program)
      );
    } catch {
      return false; // The process has ended meanwhile.
    }
  };
  return Number(readdirSync("/proc").filter((name) => /^\d+$/.test(name)).find(runs) ?? 0);
}

test("the example in Python pairs, sends, and comes back by itself", async () => {
  const number = await add("textfile");
  expect(await state(number)).toBe("disconnected");
  // Repeated, because a worker that has not said hello yet cannot pair.
  await waitFor("the pairing", async () => {
    const paired = await pair(number, ["--method", "otp"], "123456\n");
    return paired.code === 0;
  });
  const first = await send(number, "6281234567890");
  expect(await outcome(first)).toMatchObject({ status: "sent", code: 200 });
  expect(readFileSync(messages, "utf8")).toContain(first.message);

  await gateway.kill();
  await gateway.start();
  await waitFor("the device", async () => (await state(number)) === "connected");
  const second = await send(number, "6281234567890");
  expect(await outcome(second)).toMatchObject({ status: "sent", code: 200 });
});

test("a worker that is killed in mid-send loses no message", async () => {
  const number = await connected("scripted");
  const sent = await send(number, "6281200998007"); // The worker answers only the second attempt.
  const isSending = () => isAtPlatform(gateway, sent.id);
  await waitFor("the worker to have the message", isSending);
  const first = worker("scripted_worker.py");
  process.kill(first, "SIGKILL");
  expect(await outcome(sent)).toMatchObject({ status: "sent", code: 200 });
  expect(worker("scripted_worker.py")).not.toBe(first);
  // A connection that comes back at once causes no webhook; the next webhook is another change.
  const told = () => sink.at(`/${number}`).map((request) => request.json.data.state);
  await waitFor("the device", async () => (await state(number)) === "connected");
  await gateway.json("device", "disconnect", number);
  await waitFor("the webhook", () => told().length >= 2);
  expect(told()).toEqual(["connected", "disconnected"]);
});

test.each([
  ["writes garbage", "998001"],
  ["writes a line without end", "998002"],
  ["floods", "998003"],
  ["lies about messages and devices", "998005"],
  ["takes too much memory", "998006"],
  ["answers nonsense", "998008"],
  ["prints without end", "998009"],
])("a worker that %s costs no message and no other device", async (_, ending) => {
  const number = await connected("scripted");
  const other = await account.device(freshNumber());
  const bad = await send(number, simulated(ending));
  const good = await send(other, "6281234567890");
  expect(await outcome(good)).toMatchObject({ status: "sent", code: 200 });
  expect(await outcome(bad)).toMatchObject({ status: "sent", code: 200 });
  expect(await state(other)).toBe("connected");
});

test("a program that is missing keeps its own devices from connecting, and says so", async () => {
  const number = await add("missing");
  expect(await state(number)).toBe("disconnected");
  const paired = await pair(number, [], "");
  expect(paired.code).toBe(1);
  expect(paired.stderr).toContain("The connector cannot be started");
  expect(gateway.log).toContain("the program no-such-program is not found in PATH");
});

test("a worker that is down is named, while messages are accepted", async () => {
  await connected("scripted");
  const ready = await gateway.request({ method: "GET", path: "/readyz" });
  expect(ready.status).toBe(200);
  const down = { part: "connector missing", reason: "its worker cannot be started" };
  expect(JSON.parse(ready.text)).toEqual({ status: "ready", degraded: [down] });
  const metrics = (await gateway.request({ method: "GET", path: "/metrics" })).text;
  expect(metrics).toContain('merpati_connector_up{connector="missing"} 0');
  expect(metrics).toContain('merpati_connector_up{connector="scripted"} 1');
  const doctor = await gateway.cli("doctor");
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain("connector missing: its worker cannot be started");
});

test("a worker sees nothing of the gateway's secrets", async () => {
  const number = await connected("scripted");
  const callback = await outcome(await send(number, simulated("998010")));
  expect(callback.details).toContain("environment"); // The details are cut off if PATH is long.
  expect(callback.details).not.toContain("MERPATI");
  const environ = readFileSync(`/proc/${worker("scripted_worker.py")}/environ`, "utf8");
  const names = environ.split("\0").filter(Boolean).map((variable) => variable.split("=")[0]);
  expect(names).toEqual(expect.arrayContaining(["LANG", "PATH"]));
  expect(names).not.toContain("HOME"); // The gateway has it; a launcher of Python may add its own.
  expect(environ).not.toContain("MERPATI");
});

test("a worker dies with its gateway", async () => {
  const pid = await waitFor("the worker", () => worker("scripted_worker.py"));
  await gateway.kill();
  await waitFor("its end", () => !existsSync(`/proc/${pid}`));
  await gateway.start();
});

test("each message has had one outcome", async () => {
  expect(awaited).not.toEqual([]);
  // A callback that is repeated has the same id.
  const ids = (path: string) => sink.at(path).map(({ headers }) => headers["webhook-id"]);
  for (const path of awaited) expect(new Set(ids(path)).size).toBe(1);
});
