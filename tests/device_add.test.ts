// POST /v1/device/addnew.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted, expectRefused, rows } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";

let gateway: Gateway;
let account: Account;

beforeAll(async () => {
  gateway = await Gateway.create();
  ({ account } = await shop(gateway));
});
afterAll(() => gateway.close());

const added = {
  success: true,
  message: "Perangkat berhasil ditambahkan",
  data: { status: "success", code: 200 },
};

test("a number becomes a device that can send at once", async () => {
  const device = freshNumber();
  const reply = await account.addDevice({ device });
  expect(reply.json).toEqual(added);
  const message = freshText();
  expectAccepted(await account.send({ to: freshNumber(), from: device, message, Type: "text" }));
  await gateway.simulator.attempt(message);
});

test("the number may be a JSON number, and the webhook empty", async () => {
  const device = freshNumber();
  expect((await account.addDevice({ device: Number(device), webhook: "" })).json).toEqual(added);
  expect(JSON.stringify(await gateway.json("device", "list", account.id))).toContain(device);
});

test("adding an own number again succeeds and changes nothing else", async () => {
  const device = freshNumber();
  await account.addDevice({ device, webhook: "https://toko.example.com/lama" });
  const first = await device_(device);
  expect((await account.addDevice({ device })).json).toEqual(added);
  expect(await device_(device)).toEqual(first);
});

test("adding an own number again takes a new webhook", async () => {
  const device = freshNumber();
  await account.addDevice({ device, webhook: "https://toko.example.com/lama" });
  await account.addDevice({ device, webhook: "https://toko.example.com/baru" });
  expect(JSON.stringify(await device_(device))).toContain("https://toko.example.com/baru");
});

async function device_(number: string): Promise<unknown> {
  const list = await gateway.json("device", "list", account.id);
  return list.find((device: { number: string }) => String(device.number) === number);
}

test("adding it again beside an operator's disconnect does not connect it", async () => {
  const device = freshNumber();
  await account.addDevice({ device });
  for (let round = 0; round < 5; round += 1) {
    await gateway.json("device", "connect", device);
    let over = false;
    const repeat = async () => {
      while (!over) expect((await account.addDevice({ device, webhook: "" })).status).toBe(200);
    };
    const repeats = [1, 2, 3, 4].map(repeat);
    await gateway.json("device", "disconnect", device);
    over = true;
    await Promise.all(repeats);
    expect(await device_(device)).toMatchObject({ state: "disconnected" });
  }
});

test("adding and removing it at once leaves it there or not, for everyone", async () => {
  const device = freshNumber();
  const message = () => ({ to: freshNumber(), from: device, message: freshText(), Type: "text" });
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([
      account.addDevice({ device }),
      gateway.cli("device", "remove", device),
      account.addDevice({ device }),
    ]);
    const listed = (await device_(device)) !== undefined;
    expect((await account.send(message())).status).toBe(listed ? 200 : 400);
    if (round === 4) {
      await gateway.restart();
      expect((await device_(device)) !== undefined).toBe(listed);
    }
  }
});

describe("is refused", () => {
  test.each([
    undefined,
    null,
    "",
    "abc",
    "0812345678",
    "+6281234567890",
    "1234567",
    "1234567890123456",
    12,
    1.5,
    true,
    [],
    {},
  ])("device %j", async (device) => {
    expectRefused(await account.addDevice({ device }), rows.device);
  });

  test.each([
    "http://toko.example.com/",
    "toko",
    "https://10.0.0.1/",
    "https://[::1]/",
    "https://a:b@toko.example.com/",
    "https://printer.local/",
    5,
    true,
    null,
    [],
    {},
  ])("webhook %j", async (webhook) => {
    expectRefused(await account.addDevice({ device: freshNumber(), webhook }), rows.webhook);
  });

  test.each(["free", "trial"] as const)("a %s account", async (plan) => {
    const other = await gateway.account({ plan });
    await other.createKey();
    expectRefused(await other.addDevice({ device: freshNumber() }), rows.plan);
  });

  test("a trial account, also by a key that may do everything", async () => {
    const other = await gateway.account({ plan: "trial" });
    await other.createKey({ scopes: "admin,send" });
    expectRefused(await other.addDevice({ device: freshNumber() }), rows.plan);
  });

  test("another account's number", async () => {
    const other = await shop(gateway);
    expectRefused(await account.addDevice({ device: other.device }), rows.taken);
    const message = freshText();
    expectRefused(
      await account.send({ to: freshNumber(), from: other.device, message, Type: "text" }),
      rows.sender,
    );
  });

  test("one of two accounts that add the same number at once", async () => {
    const { account: rival } = await shop(gateway);
    for (let round = 0; round < 5; round += 1) {
      const body = { device: freshNumber() };
      const replies = await Promise.all(
        [account, rival, account, rival].map((one) => one.addDevice(body)),
      );
      const statuses = replies.map((reply) => reply.status).sort();
      expect(statuses).toEqual([200, 200, 409, 409]);
    }
  });

  test.each(["auto", "A", "B"] as const)(
    "an expired account with a key of revision %s",
    async (revision) => {
      const other = await gateway.account({ expires: "2020-01-01T00:00:00Z" });
      await other.createKey({ revision });
      expectRefused(await other.addDevice({ device: freshNumber() }), rows.expired);
    },
  );

  test("the device after the plan's last one, but not one that is there already", async () => {
    const other = await gateway.account({ "devices-max": 2 });
    await other.createKey();
    const first = { device: freshNumber() };
    expect((await other.addDevice(first)).status).toBe(200);
    expect((await other.addDevice({ device: freshNumber() })).status).toBe(200);
    expectRefused(await other.addDevice({ device: freshNumber() }), rows.devices);
    expect((await other.addDevice(first)).status).toBe(200);
  });

  test("more than the plan's devices, however many are added at once", async () => {
    const other = await gateway.account({ "devices-max": 4 });
    await other.createKey();
    const replies = await Promise.all(
      Array.from({ length: 60 }, () => other.addDevice({ device: freshNumber() })),
    );
    const refused = replies.filter((reply) => reply.status !== 200);
    expect(refused).toHaveLength(56);
    for (const reply of refused) expectRefused(reply, rows.devices);
    expect(await gateway.json("device", "list", other.id)).toHaveLength(4);
  });

  test("too many requests", async () => {
    const other = await gateway.account({ rate: "1/min" });
    await other.createKey();
    await other.addDevice({ device: freshNumber() });
    expectRefused(await other.addDevice({ device: freshNumber() }), rows.rate);
  });

  test("a body over 64 KiB", async () => {
    const reply = await account.addDevice({ device: freshNumber(), x: "x".repeat(70_000) });
    expect(reply.status).toBe(413);
  });
});
