// Bad endpoints of one account do not delay the callbacks of another account.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

const timeout = 10_000; // Of one attempt; a callback that waits for a slot leaves after that.
const badOrigins = 80; // More than there are slots for origins that do not answer.

interface Shop {
  account: Account;
  device: string;
}

let gateway: Gateway;
let bad: Sink;
let good: Sink;
let badShop: Shop;
let goodShop: Shop;

beforeAll(async () => {
  bad = await Sink.open({ secure: false, host: "0.0.0.0" });
  good = await Sink.open({ secure: false });
  gateway = await Gateway.create({
    settings: {
      "outbound.allow_http_callbacks": true,
      "callback.total_max": 64,
      "simulator.latency_ms": 0,
    },
  });
  badShop = await shop(gateway);
  goodShop = await shop(gateway);
});
afterAll(async () => {
  await gateway.close();
  await bad.close();
  await good.close();
});

async function send(by: Shop, callbackStatus: string): Promise<string> {
  const body = {
    to: freshNumber(),
    from: by.device,
    message: freshText(),
    Type: "text",
    callbackStatus,
  };
  return expectAccepted(await by.account.send(body));
}

/** Sends the bad account's callbacks to many origins; the sink's rule decides their outcome. */
async function burden(path: string, each: number): Promise<void> {
  for (let i = 0; i < badOrigins * each; i += 1) {
    await send(badShop, bad.url(path, `127.1.0.${(i % badOrigins) + 1}`));
  }
}

async function expectGoodComes(path: string): Promise<void> {
  for (let i = 0; i < 10; i += 1) {
    await send(goodShop, good.url(path));
    await good.requests(path, i + 1, timeout / 2);
  }
}

test("origins that never answer hold up nobody, a kill or not", { timeout: 60_000 }, async () => {
  bad.on("/hang", () => ({ status: 200, hang: true }));
  await burden("/hang", 3);
  await bad.requests("/hang", 16);
  await expectGoodComes("/beside-hanging");
  await gateway.kill();
  await gateway.start();
  await expectGoodComes("/beside-hanging-restarted");
});

test("answers of the application are no reason to wait for others of the origin", async () => {
  good.on("/dead", () => ({ status: 404 }));
  const other = await shop(gateway);
  for (let i = 0; i < 30; i += 1) await send(other, good.url("/dead"));
  await good.requests("/dead", 30);
  await expectGoodComes("/alive");
  await send(other, good.url("/alive-of-the-same-account"));
  await good.request("/alive-of-the-same-account", timeout / 2);
});

test("after a kill, what was under way comes last", { timeout: 60_000 }, async () => {
  const own = await Gateway.create({ settings: { "outbound.allow_http_callbacks": true } });
  try {
    const mine = await shop(own);
    bad.on("/suspect", (attempt) => ({ status: 200, hang: attempt === 1 }));
    const suspect = await send(mine, bad.url("/suspect"));
    await bad.request("/suspect");
    await own.kill();
    await own.start();
    await send(mine, good.url("/other"));
    const other = await good.request("/other");
    const again = (await bad.requests("/suspect", 2))[1]!;
    expect(again.json.requestId).toBe(suspect);
    expect(again.at).toBeGreaterThan(other.at);
    await waitFor("the suspect's delivery", async () => {
      const list = await own.json("callback", "list", "--state", "delivered");
      return list.length === 2 ? list : undefined;
    });
  } finally {
    await own.close();
  }
});
