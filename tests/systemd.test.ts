// The packaged units under systemd: a linked phone, whose worker runs as a separate user.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Booted } from "./support/booted.ts";
import { png } from "./support/files.ts";
import { freePort } from "./support/gateway.ts";
import { MediaServer } from "./support/media_server.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { Platform } from "./support/platform.ts";
import { scratchFolder } from "./support/scratch.ts";
import { waitFor } from "./support/wait.ts";

const packaging = resolve(import.meta.dirname, "../packaging");
const [number, friend] = [freshNumber(), freshNumber()];
const port = await freePort();
const platform = await Platform.start();
const booted = await Booted.boot(...settings());
if (typeof booted === "string") console.warn(`skipped: ${booted}`);
const system = booted as Booted;
const here = test.skipIf(typeof booted === "string");
let host: MediaServer;
let key: string;

/** The packaged settings, with the platform's address and authority. */
function settings(): [string, string] {
  const authority = platform.settings["outbound.ca_file"] as string;
  const packaged = readFileSync(join(packaging, "merpati.toml"), "utf8");
  const text = packaged
    .replace("[http]", `[http]\nlisten = ["127.0.0.1:${port}"]`)
    .replace("[outbound]", `[outbound]\nallow = ["127.0.0.0/8"]\nca_file = "/etc/ssl/platform.pem"`)
    .concat(`url = "${platform.settings["linked.url"]}"\n`)
    .concat(`root_key = "${platform.settings["linked.root_key"]}"\n`);
  const file = join(scratchFolder("systemd"), "merpati.toml");
  writeFileSync(file, text);
  return [file, authority];
}

async function call(method: string, path: string, body?: object): Promise<any> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return reply.json();
}

const connected = () =>
  waitFor(
    "the device to be connected",
    async () => (await call("GET", `/v1/devices/${number}`)).state === "connected",
    30_000,
  );

/** Sends a message, which must be accepted and shown. */
async function send(fields: object = { Type: "text" }): Promise<void> {
  const before = await platform.last();
  await call("POST", "/v1/send", { to: friend, from: number, message: freshText(), ...fields });
  await platform.event({ type: "shown", number: friend }, before);
}

interface Instance {
  unit: string;
  launcher: number;
  worker: number; // Its process id inside the name space.
}

/** The one worker that runs. */
async function instance(): Promise<Instance> {
  return waitFor("one worker", () => {
    const flags = ["--plain", "--no-legend"];
    const listed = system.do("systemctl", "list-units", ...flags, "merpati-worker@*");
    const units = listed.split("\n").filter((line) => line.includes(" running "));
    if (units.length !== 1) return undefined;
    const unit = units[0]!.trim().split(" ")[0]!;
    const launcher = Number(system.run("systemctl", "show", "-P", "MainPID", unit).stdout);
    const children = system.run("cat", `/proc/${launcher}/task/${launcher}/children`).stdout;
    const worker = Number(children.trim());
    return worker > 0 ? { unit, launcher, worker } : undefined;
  });
}

const userOf = (pid: number) =>
  Number(/^Uid:\t(\d+)/m.exec(system.do("cat", `/proc/${pid}/status`))![1]);

beforeAll(async () => {
  host = await MediaServer.open();
  if (typeof booted === "string") return;
  system.do("systemctl", "start", "merpati");
  const account = system.merpati("account", "create", "Toko", "--credits", "100").id;
  const scopes = "send,devices:manage,account:read";
  ({ key } = system.merpati("key", "create", account, "--scopes", scopes));
  const pace = ["--gap", "0s", "--jitter", "0s"];
  system.merpati("device", "add", account, number, "--connector", "linked", ...pace);
  await platform.ask("register", { number: friend });
  await call("POST", `/v1/devices/${number}/pair`, { method: "qr" });
  const qr = await waitFor(
    "a QR code",
    async () => (await call("GET", `/v1/devices/${number}/pairing`)).payload,
    30_000,
  );
  await platform.ask("scan", { number, qr });
  await connected();
}, 120_000);
afterAll(async () => {
  if (typeof booted !== "string") booted.end();
  await host.close();
  await platform.end();
});

here("a picture is sent by a worker that is neither root nor the server's user", async () => {
  await send({ Type: "media", url: host.put({ content: png }) });
  const { worker, launcher } = await instance();
  const server = Number(system.do("systemctl", "show", "-P", "MainPID", "merpati"));
  const users = [userOf(worker), userOf(server)];
  expect(new Set([0, ...users]).size).toBe(3);
  expect(userOf(launcher)).toBe(users[0]);
});

here("the worker's files hold media, and neither store, key nor settings", async () => {
  const { worker } = await instance();
  const inside = `/proc/${worker}/root`;
  const see = (path: string) => system.run("ls", "-A", inside + path).stdout.split("\n");
  expect(see("/var/lib")).toEqual(["merpati", ""]);
  expect(see("/var/lib/merpati")).toEqual(["merpati.db-media", ""]);
  expect(see("/etc/merpati")).toEqual([""]);
  expect(system.do("cat", `/proc/${worker}/status`)).toMatch(/Seccomp:\t2/);
});

here("doctor says so", () => {
  const { findings } = JSON.parse(
    system.run("merpati", "--config", "/etc/merpati/merpati.toml", "doctor", "--json").stdout,
  );
  expect(findings.find((finding: any) => finding.subject === "linked")).toMatchObject({
    verdict: "good",
    found: expect.stringMatching(/as a user of its own \(\d+\)$/),
  });
});

here.each(["worker", "launcher"] as const)("kill -9 of the %s: it is back", async (victim) => {
  const before = await instance();
  system.do("kill", "-9", `${before[victim]}`);
  await waitFor("another worker", async () => (await instance()).unit !== before.unit);
  await connected();
  await send();
});

here("a worker that hangs is ended", async () => {
  const before = await instance();
  system.do("kill", "-STOP", `${before.worker}`);
  await waitFor("another worker", async () => (await instance()).unit !== before.unit, 60_000);
  await connected();
  await send();
}, 120_000);

here("the server ends, and no worker is left", async () => {
  system.do("systemctl", "stop", "merpati");
  await waitFor(
    "their end",
    () => system.do("systemctl", "list-units", "--no-legend", "merpati-worker@*") === "",
  );
});

here("nothing of a package that was removed runs, or starts with the machine", () => {
  system.do("systemctl", "enable", "--now", "merpati", "merpati-worker.socket");
  const script = readFileSync(join(packaging, "debian/prerm"), "utf8");
  system.do("sh", "-c", script, "prerm", "remove");
  expect(system.do("systemctl", "list-units", "--no-legend", "merpati*")).toBe("");
  expect(system.do("find", "/etc/systemd/system", "-type", "l", "-name", "merpati*")).toBe("");
});
