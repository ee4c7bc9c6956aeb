// Workers that run as another user than the gateway, each behind a socket like systemd's.
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { isAtPlatform, sendText } from "./support/callback_shop.ts";
import { Gateway } from "./support/gateway.ts";
import { MediaServer } from "./support/media_server.ts";
import { png } from "./support/files.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import { Platform } from "./support/platform.ts";
import { onPostgres } from "./support/postgres.ts";
import { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";
import { openTo, whyNot, WorkerSocket } from "./support/worker_socket.ts";

const root = join(import.meta.dirname, "..");
const readers = 60_999; // The group of media files.
const reason = whyNot();
if (reason) console.warn(`skipped: ${reason}`);

describe.skipIf(reason)("a worker of another user", () => {
  let gateway: Gateway;
  let sink: Sink;
  let host: MediaServer;
  let platform: Platform;
  let account: Account;
  let scripted: WorkerSocket;
  let linked: WorkerSocket;
  let media: string;

  beforeAll(async () => {
    [platform, sink, host] = await Promise.all([
      Platform.start(),
      Sink.open({ secure: false }),
      MediaServer.open(),
    ]);
    gateway = await Gateway.create({ start: false });
    chmodSync(gateway.folder, 0o711);
    // As with the unit's group: new files belong to the group.
    media = gateway.own("-media");
    mkdirSync(media, { mode: 0o700 });
    chownSync(media, 0, readers);
    chmodSync(media, 0o2700);
    const worker = openTo(
      gateway.folder,
      join(root, "src/connector/process/worker/testdata/scripted_worker.py"),
      "scripted.py",
    );
    chmodSync(worker, 0o644);
    const authority = openTo(
      gateway.folder,
      platform.settings["outbound.ca_file"] as string,
      "ca.pem",
    );
    chmodSync(authority, 0o644);
    const command = ["--", "python3", worker];
    scripted = await WorkerSocket.open(gateway.folder, "scripted.sock", readers, command);
    linked = await WorkerSocket.open(gateway.folder, "linked.sock", readers, [
      "--open",
      media,
      "--write",
      join(media, "received"),
      "--open",
      authority,
    ]);
    gateway.configure({
      ...platform.settings,
      "outbound.ca_file": authority,
      "outbound.allow_http_callbacks": true,
      "scheduler.retry_first": "200ms",
      "workers.memory_max": "200MiB",
      "linked.socket": linked.path,
      "workers.scripted.socket": scripted.path,
      "workers.missing.socket": join(gateway.folder, "missing.sock"),
    });
    await gateway.start();
    ({ account } = await shop(gateway));
  }, 120_000);
  afterAll(async () => {
    await gateway.close();
    scripted.stop();
    linked.stop();
    await Promise.all([sink.close(), host.close(), platform.end()]);
  });

  const state = async (number: string) =>
    (await gateway.json("device", "list")).find((device: any) => device.number === number).state;

  async function connected(): Promise<string> {
    const number = await account.device(freshNumber(), "--connector", "scripted");
    await gateway.json("device", "connect", number);
    await waitFor(`${number} to be connected`, async () => (await state(number)) === "connected");
    return number;
  }

  const send = (from: string, to: string) => sendText(sink, account, from, to);
  async function outcome(sent: { path: string }): Promise<any> {
    return (await sink.requests(sent.path, 1))[0]!.json;
  }
  const sent = { status: "sent", code: 200 };

  test("sends, and can open nothing of the store", async () => {
    const number = await connected();
    expect(await outcome(await send(number, freshNumber()))).toMatchObject(sent);
    const { pid } = await scripted.worker();
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    expect(status).toContain("NoNewPrivs:\t1");
    expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toMatch(/LISTEN|MERPATI/);
    for (const ending of [...(onPostgres ? [] : ["", "-wal"]), ".key", ".sock"]) {
      expect(statSync(gateway.own(ending)).mode & 0o077, ending).toBe(0);
    }
  });

  test.each([
    ["writes garbage", "998001"],
    ["floods", "998003"],
    ["takes too much memory", "998006"],
  ])("one that %s costs no message", async (_, ending) => {
    const number = await connected();
    expect(await outcome(await send(number, simulated(ending)))).toMatchObject(sent);
    await waitFor("the device", async () => (await state(number)) === "connected");
  });

  test.each([["worker"], ["launcher"], ["gateway"]])(
    "kill -9 of the %s in mid-send loses nothing and leaves nobody",
    async (victim) => {
      const number = await connected();
      // The worker answers only the second attempt. An attempt that a crash of the gateway cut off
      // does not count.
      const to = victim === "gateway" ? freshNumber() : "6281200998007";
      const message = await send(number, to);
      if (victim !== "gateway") {
        const isSending = () => isAtPlatform(gateway, message.id);
        await waitFor("the worker to have the message", isSending);
      }
      const [launcher, worker] = [await scripted.launcherProcess(), await scripted.worker()];
      if (victim === "gateway") {
        await gateway.kill();
        await waitFor("their end", () => !existsSync(`/proc/${worker.pid}`));
        await gateway.start();
      } else {
        process.kill(victim === "worker" ? worker.pid : launcher.pid, "SIGKILL");
      }
      expect(await outcome(message)).toMatchObject(sent);
      await waitFor("the device", async () => (await state(number)) === "connected");
      await waitFor("one launcher and one worker", () => scripted.processes().length === 2);
      expect((await scripted.worker()).pid).not.toBe(worker.pid);
    },
  );

  test("a linked phone sends and receives a picture by its worker's group alone", async () => {
    const [number, friend] = [freshNumber(), freshNumber()];
    await platform.ask("register", { number: friend });
    await platform.link(account, number, "--webhook", sink.url("/linked"));
    const message = freshText();
    const url = host.put({ content: png });
    await account.send({ to: friend, from: number, message, Type: "media", url });
    await platform.event({ type: "shown", number: friend });
    expect(statSync(media).mode & 0o777).toBe(0o710);
    const { pid } = await linked.worker();
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    expect(status).toContain(`Groups:\t${readers} \n`);

    // A picture comes back, and the worker writes it to a file that the gateway reads.
    const picture = { media: "image", mimetype: "image/png", data: png.toString("base64") };
    await platform.ask("send", { number: friend, to: number, caption: message, ...picture });
    const told = await waitFor("message.received", () =>
      sink.at("/linked").find(({ json }) => json.data.text === message),
    );
    const file = join(gateway.folder, "received.png");
    await gateway.json("message", "media", told.json.data.media.id, file);
    expect(readFileSync(file)).toEqual(png);
  });

  test("doctor says as whom workers run, and what is missing", async () => {
    const doctor = await gateway.cli("doctor");
    expect(doctor.stdout).toMatch(/devices can be linked, with .* as a user of its own \(\d+\)/);
    const runs = "connector scripted runs /usr/bin/python3, as a user of its own";
    expect(doctor.stdout).toContain(runs);
    const missing = `nobody listens at ${join(gateway.folder, "missing.sock")}`;
    expect(doctor.stdout).toContain(`connector missing: ${missing}`);
    expect(doctor.code).toBe(1);
    expect(gateway.log).toContain(missing);
    const number = await account.device(freshNumber(), "--connector", "missing");
    const paired = await gateway.cliWith("", "device", "pair", number);
    expect(paired.code).toBe(1);
    expect(paired.stderr).toContain("The connector cannot be started");
  });

  test("a socket that closes keeps what runs, and comes back", async () => {
    const number = await connected();
    scripted.stop();
    expect(await outcome(await send(number, freshNumber()))).toMatchObject(sent);
    process.kill((await scripted.worker()).pid, "SIGKILL");
    await waitFor("the log", () => gateway.log.includes(`nobody listens at ${scripted.path}`));
    const waiting = await send(number, freshNumber());
    await scripted.listen();
    expect(await outcome(waiting)).toMatchObject(sent);
  });
});
