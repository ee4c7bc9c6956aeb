// A number moves from a gateway built on Baileys 6.7, and back to it.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { waitFor } from "./support/wait.ts";
import { OldClient } from "./standin/testing/old_client.ts";
import { World } from "./standin/testing/world.ts";

const number = "628111910001";
const friend = "628111910002";

let world: World;
let gateway: Gateway;
let account: Account;
let folder: string;

beforeAll(async () => {
  world = await World.create();
  world.standIn.firstWordAfter = 500;
  world.standIn.setRegistered(friend, true);
  gateway = await Gateway.create({ settings: world.standIn.gatewaySettings });
  ({ account } = await shop(gateway));
  await account.device(number, "--connector", "linked", "--gap", "0s", "--jitter", "0s");
  folder = join(gateway.folder, "old");
}, 120_000);
afterAll(async () => {
  await gateway.close();
  await world.end();
});

const shown = (text: string) => world.event("shown", { number: friend, text });

test("a client of Baileys 6.7 is linked, and sends", async () => {
  const client = await OldClient.start(world.standIn, folder);
  await world.standIn.phone(number).scan(await client.qr());
  await client.linked();
  await client.text(friend, "halo dari versi lama");
  await shown("halo dari versi lama");
  await client.end();
}, 120_000);

test("its folder is imported, and its sessions go on", async () => {
  await gateway.json("device", "import", number, "--baileys", folder);
  await gateway.json("device", "connect", number);
  const state = async () =>
    (await gateway.json("device", "list")).find((each: any) => each.number === number).state;
  await waitFor("the device to be connected", async () => (await state()) === "connected", 30_000);
  const body = { to: friend, from: number, message: "halo dari sini", Type: "text" };
  expectAccepted(await account.send(body));
  await shown("halo dari sini");
}, 120_000);

test("the folder that is exported is opened by it", async () => {
  const back = join(gateway.folder, "back");
  await gateway.json("device", "disconnect", number);
  await gateway.json("device", "export", number, "--baileys", back);
  const client = await OldClient.start(world.standIn, back);
  await client.open();
  await client.text(friend, "halo lagi dari versi lama");
  await shown("halo lagi dari versi lama");
  await world.standIn.phone(friend).send(number, { text: "halo kembali" });
  await client.message("halo kembali");
  await client.end();
  expect(world.violations()).toEqual([]);
}, 120_000);
