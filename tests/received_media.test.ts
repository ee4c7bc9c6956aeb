// Media of received messages, from the webhook to the downloaded file.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { openShop } from "./support/callback_shop.ts";
import { call, keyWith, SCOPES } from "./support/catalogue.ts";
import { expectSchema, type Json } from "./support/contract.ts";
import { expectAccepted } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import type { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let sink: Sink;
let account: Account;
let device: string;
let key: string;

beforeAll(async () => {
  const opened = await openShop();
  ({ gateway, sink, account, device } = opened);
  key = await keyWith(account, ["messages:read"]);
  await gateway.json("device", "set", device, "--webhook", sink.url("/device"));
  return opened.close;
});

/** The webhook for a picture that a recipient sends back. */
async function received(ending: string, from = device): Promise<Json> {
  const message = freshText();
  const body = { to: simulated(ending), from, message, Type: "text" };
  expectAccepted(await account.send(body));
  const told = await waitFor("message.received", async () =>
    sink.at("/device").find(({ json }) => json.data.text === `Balasan: ${message}`),
  );
  expectSchema("DeviceEvent", told.json);
  return told.json.data.media;
}

const download = (path: string, by: string = key) =>
  call(gateway, { method: "GET", path }, { key: by });

test("a picture is downloaded by the path that the webhook tells", async () => {
  const media = await received("997001");
  expect(media).toMatchObject({ mime: "image/png", bytes: 68, name: "balasan.png" });
  expect(media.path).toBe(`/v1/received/${media.id}/media`);
  const answer = await download(media.path);
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    "content-type": "image/png",
    "content-disposition": `attachment; filename="balasan.png"; filename*=UTF-8''balasan.png`,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  expect(answer.text).toContain("IHDR");

  await gateway.kill(); // The data for a download must be durable.
  await gateway.start();
  const file = join(gateway.folder, "balasan.png");
  await waitFor("the device to be connected", async () => {
    const devices = (await gateway.json("device", "list", account.id)) as Json[];
    return devices.every(({ state }) => state === "connected");
  });
  expect(await gateway.json("message", "media", media.id, file)).toEqual({ file, bytes: 68 });
  expect(statSync(file).size).toBe(68);
  expect(readFileSync(file).subarray(1, 4).toString()).toBe("PNG");
});

test("what the platform has no more is not found, and leaves no file", async () => {
  const media = await received("997002");
  const answer = await download(media.path);
  expect(answer.status).toBe(404);
  expect(answer.json.detail).toBe("the platform has it no more");
  const file = join(gateway.folder, "lost.png");
  await expect(gateway.json("message", "media", media.id, file)).rejects.toThrow(/no more/);
  expect(existsSync(file)).toBe(false);
});

test("a picture of another account is one that does not exist", async () => {
  const media = await received("997001");
  const other = await shop(gateway);
  const theirs = await keyWith(other.account, SCOPES);
  const foreign = await download(media.path, theirs);
  const nobodys = await download("/v1/received/019a8f5e-7c1b-7d3a-9f20-5b1e6a4c8d70/media", theirs);
  expect([foreign.status, nobodys.status]).toEqual([404, 404]);
  expect(foreign.text.replace(media.id, "ID")).toBe(
    nobodys.text.replace("019a8f5e-7c1b-7d3a-9f20-5b1e6a4c8d70", "ID"),
  );
});

test("a picture goes with its device", async () => {
  const number = freshNumber();
  await gateway.json("device", "add", account.id, number, "--webhook", sink.url("/device"));
  const media = await received("997001", number);
  await gateway.json("device", "remove", number);
  await gateway.json("device", "add", account.id, number);
  expect((await download(media.path)).status).toBe(404);
});

test("a number is looked up seldom, and what was answered is kept", async () => {
  const sender = await keyWith(account, ["send"]);
  const look = (number: string) =>
    call(gateway, { method: "GET", path: `/v1/devices/${device}/recipient?number=${number}` }, {
      key: sender,
    });
  const unregistered = simulated("991001");
  expect((await look(unregistered)).json).toMatchObject({ registered: false });
  expect((await look(simulated("991002"))).status).toBe(400);
  for (let number = 0; number < 8; number++) {
    expect((await look(freshNumber())).json.registered).toBe(true);
  }
  const refused = await look(freshNumber());
  expect(refused.status).toBe(429);
  expect(refused.headers["retry-after"]).toBeDefined();
  expect((await look(unregistered)).json).toMatchObject({ registered: false });
  const again = await gateway.json("device", "check", device, unregistered);
  expect(again).toMatchObject({ number: unregistered });
});
