// A number moves from another gateway built on Baileys to this one and back, by the commands. An
// unmodified client plays the other gateway.
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";
import { useMultiFileAuthState } from "./standin/testing/baileys.ts";
import type { Client, ClientState } from "./standin/testing/client.ts";
import { World } from "./standin/testing/world.ts";

const number = "628111900001";
const friend = "628111900002";

let world: World;
let gateway: Gateway;
let account: Account;
let pretend: string; // A simulated device.
let folder: string; // Of the other gateway.

/** Runs an unmodified client with its state in a folder during `work`. */
async function otherGateway(kept: string, work: (client: Client) => Promise<void>) {
  const { state, saveCreds } = await useMultiFileAuthState(kept);
  const client = world.client(state as unknown as ClientState);
  await work(client);
  await client.end();
  await saveCreds();
}

beforeAll(async () => {
  world = await World.create();
  world.standIn.setRegistered(friend, true);
  const { standIn } = world;
  gateway = await Gateway.create({ settings: world.standIn.gatewaySettings });
  ({ account, device: pretend } = await shop(gateway));
  for (const each of [number, friend]) {
    await account.device(each, "--connector", "linked", "--gap", "0s", "--jitter", "0s");
  }
  folder = join(gateway.folder, "other");
  await otherGateway(folder, async (client) => {
    await standIn.phone(number).scan(await client.qr());
    await client.linked();
    await client.text(friend, "halo dari gerbang lama");
    await world.event("shown", { number: friend, text: "halo dari gerbang lama" });
  });
}, 120_000);
afterAll(async () => {
  await gateway.close();
  await world.end();
});

const device = () => gateway.json("device", "list").then((all) => all.find(isNumber));
const isNumber = (each: any) => each.number === number;
const states = (state: string) =>
  waitFor(`the device to be ${state}`, async () => (await device()).state === state, 30_000);

async function refused(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await gateway.cli(...args);
  expect(code, stdout).toBe(1);
  expect(stdout).toBe("");
  return stderr;
}

function copy(change: (made: string) => void): string {
  const made = join(gateway.folder, freshText().replaceAll(" ", "-"));
  mkdirSync(made);
  readdirSync(folder).forEach((name) => copyFileSync(join(folder, name), join(made, name)));
  change(made);
  return made;
}

test("what is no folder of this number is refused, in words", async () => {
  const importing = (of: string, to = number) => refused("device", "import", to, "--baileys", of);
  expect(await importing(folder, friend)).toContain("of another number");
  expect(await importing(folder, pretend)).toContain("no linked device");
  expect(await importing(folder, freshNumber())).toContain("there is no device");
  expect(await importing(join(folder, "none"))).toContain("ENOENT");
  const cut = copy((made) => writeFileSync(join(made, "creds.json"), '{"noiseKey":{'));
  expect(await importing(cut)).toContain("creds.json is broken");
  const outside = copy((made) => {
    renameSync(join(made, "creds.json"), join(gateway.folder, "outside.json"));
    symlinkSync(join(gateway.folder, "outside.json"), join(made, "creds.json"));
  });
  expect(await importing(outside)).toContain("no plain file");
  expect(await device()).toMatchObject({ state: "disconnected", exported_at: null });
});

test("the number comes here without a QR code, sends, and leaves again", async () => {
  const done = await gateway.json("device", "import", number, "--baileys", folder);
  expect(done).toMatchObject({ number, keys: readdirSync(folder).length - 1, left_out: 0 });
  await gateway.json("device", "connect", number);
  await states("connected");
  const message = freshText();
  expectAccepted(await account.send({ to: friend, from: number, message, Type: "text" }));
  await world.event("shown", { number: friend, text: message });
  expect(await refused("device", "import", number, "--baileys", folder)).toContain("disconnect");

  const out = join(gateway.folder, "out");
  expect(await refused("device", "export", number, "--baileys", out)).toContain("disconnect");
  expect(() => readdirSync(out)).toThrow();
  await gateway.json("device", "disconnect", number);
  await gateway.json("device", "export", number, "--baileys", out);
  expect((await device()).exported_at).toBeTruthy();
  expect(await refused("device", "export", number, "--baileys", out)).toContain("already");
  expect(await refused("device", "connect", number)).toContain("--force");
  await gateway.restart();
  expect((await device()).state).toBe("disconnected");
  expect(await refused("device", "connect", number)).toContain("--force");

  await otherGateway(out, async (client) => {
    await client.open();
    await client.text(friend, "halo lagi");
    await world.event("shown", { number: friend, text: "halo lagi" });
  });
  await gateway.json("device", "import", number, "--baileys", out);
  await gateway.json("device", "connect", number);
  await states("connected");
  const last = freshText();
  expectAccepted(await account.send({ to: friend, from: number, message: last, Type: "text" }));
  await world.event("shown", { number: friend, text: last });
  expect(world.violations()).toEqual([]);
  const { private: key } = JSON.parse(readFileSync(join(out, "creds.json"), "utf8")).noiseKey;
  gateway.secrets.add(key.data);
}, 120_000);

test("a stopped server's devices move too, and one is connected by force", async () => {
  await gateway.stop();
  expect(await refused("device", "import", number, "--baileys", folder)).toContain("disconnect");
  await gateway.json("device", "disconnect", number);
  const out = join(gateway.folder, "stopped");
  await gateway.json("device", "export", number, "--baileys", out);
  expect(await refused("device", "connect", number)).toContain("--force");
  await gateway.json("device", "connect", number, "--force");
  await gateway.json("device", "disconnect", number);
  await gateway.json("device", "import", number, "--baileys", out);
  await gateway.json("device", "connect", number);
  await gateway.start();
  await states("connected");
});

test("without Node.js it says what is missing", async () => {
  const { code, stderr } = await gateway.cli(
    "--set",
    `linked.command=no-such-node,${join(import.meta.dirname, "../workers/linked/dist/main.js")}`,
    ...["device", "import", friend, "--baileys", folder],
  );
  expect(code).toBe(1);
  expect(stderr).toContain("no-such-node is not found in PATH");
});

test("and where a phone is to be linked", async () => {
  const other = await Gateway.create({ settings: { "linked.command": ["no-such-node"] } });
  const { account: owner } = await shop(other);
  const fresh = freshNumber();
  await owner.device(fresh, "--connector", "linked");
  const { code, stderr } = await other.cli("device", "pair", fresh);
  expect(code).toBe(1);
  expect(stderr).toContain("no-such-node is not found in PATH");
  await other.close();
});
