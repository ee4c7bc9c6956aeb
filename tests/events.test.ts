// Events of an account reach every watcher, and a watcher that reconnects misses none.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { check } from "./support/contract.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";
import { Watcher } from "./support/watcher.ts";

let gateway: Gateway;
let account: Account;
let device: string;
let key: string;
let keyId: string;

beforeAll(async () => {
  gateway = await Gateway.create();
  ({ account, device } = await shop(gateway));
  await gateway.json("account", "topup", account.id, "1000");
  ({ key, id: keyId } = await account.createKey({ scopes: "send,messages:read,account:read" }));
});
afterAll(() => gateway.close());

/** Watches the events of the account, or what else is asked for. */
const watch = (lastId?: string, target?: string, shown = key) =>
  new Watcher(gateway.url, shown, { lastId, target });

async function send(): Promise<string> {
  const body = { to: freshNumber(), from: device, message: freshText(), Type: "text" };
  return expectAccepted(await account.send(body));
}

test("a message, its credit and its device are told to their account alone", async () => {
  const watcher = watch();
  await watcher.begun();
  expect(watcher.headers["content-type"]).toBe("text/event-stream");
  expect(watcher.headers["x-accel-buffering"]).toBe("no");
  const other = await shop(gateway);
  const elsewhere = watch(
    undefined,
    "/v1/events",
    (await other.account.createKey({ scopes: "messages:read" })).key,
  );
  await elsewhere.begun();
  const messagesOnly = (await account.createKey({ scopes: "messages:read" })).key;
  const narrow = watch(undefined, "/v1/events", messagesOnly);
  await narrow.begun();
  const id = await send();
  await watcher.until("message.updated", (data) => data.id === id && data.state === "sent");
  await watcher.until("account.credit");
  const { status, headers, raw: text } = watcher;
  check("GET", "/v1/events", { status, headers: headers as Record<string, string>, text });
  await gateway.json("device", "disconnect", device);
  await watcher.until("device.state", (data) => data.state === "disconnected");
  await gateway.json("device", "connect", device);
  await watcher.until("device.state", (data) => data.state === "connected");
  const after = await send();
  await narrow.until("message.updated", (data) => data.id === after && data.state === "sent");
  expect(new Set(narrow.all.map((one) => one.event))).toEqual(new Set(["message.updated"]));
  narrow.close();
  expect(JSON.stringify(elsewhere.all)).not.toContain(id);
  expect(elsewhere.all.filter((one) => one.event !== "device.state")).toEqual([]);
  watcher.close();
  elsewhere.close();
});

// "delivered" is an event too, unless both statuses come in one tick.
test("a message that is delivered and read later is told again", async () => {
  const watcher = watch();
  await watcher.begun();
  const body = { to: simulated("996000"), from: device, message: freshText(), Type: "text" };
  const id = await expectAccepted(await account.send(body));
  const told = await watcher.until(
    "message.updated",
    (data) => data.id === id && data.status === "read",
  );
  expect(told.data.state).toBe("sent");
  watcher.close();
});

test("who comes back is told what it missed, and after a restart to read all anew", async () => {
  const watcher = watch();
  await watcher.begun();
  const first = await send();
  const seen = await watcher.until("message.updated", (data) => data.id === first);
  watcher.close();
  const missed = await send();
  const again = watch(seen.id);
  await again.until("message.updated", (data) => data.id === missed);
  expect(again.all.some((one) => one.event === "resync")).toBe(false);
  const last = again.lastId;
  expect(await gateway.stop()).toBe(0); // A watcher does not delay the stop.
  await waitFor("the stream to end", () => again.ended);
  await gateway.start();
  const late = watch(last);
  await late.until("resync");
  late.close();
});

test("a key that is revoked loses its stream, one without the scope gets none", async () => {
  const second = await account.createKey({ scopes: "messages:read" });
  const watcher = watch(undefined, "/v1/events", second.key);
  await watcher.begun();
  await gateway.json("key", "revoke", second.id);
  await waitFor("the stream to end", () => watcher.ended);
  const sender = await account.createKey({ scopes: "send" });
  for (const [target, shown, status] of [
    ["/v1/events", sender.key, 403],
    ["/v1/events", second.key, 401],
    ["/v1/events?account=acc_999", key, 404],
    ["/v1/events?x=1", key, 400],
  ] as const) {
    const refused = watch(undefined, target, shown);
    await refused.begun();
    expect(refused.status, target).toBe(status);
  }
  expect(keyId).toBeTruthy();
});
