// Statuses that an account has posted together.
import { beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { openShop } from "./support/callback_shop.ts";
import { expectSchema } from "./support/contract.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { expectSigned } from "./support/signature.ts";
import { Sink, type Received } from "./support/sink.ts";
import { pause, waitFor } from "./support/wait.ts";

let gateway: Gateway;
let sink: Sink;
let account: Account;
let device: string;

beforeAll(async () => {
  const opened = await openShop();
  ({ gateway, sink, account, device } = opened);
  await gateway.json("account", "set", account.id, "--callback-batch", "10/1000ms");
  return opened.close;
});

/** Sends a text whose callback goes to this address; resolves with the requestId. */
async function send(callbackStatus: string, from = device, by = account): Promise<string> {
  const body = { to: freshNumber(), from, message: freshText(), Type: "text", callbackStatus };
  return expectAccepted(await by.send(body));
}

/** Sends several, one after another. */
async function sendSome(count: number, url: string): Promise<string[]> {
  const ids = [];
  while (ids.length < count) ids.push(await send(url));
  return ids;
}

interface Event {
  id: string;
  timestamp: string;
  payload: any;
}
const eventsOf = (received: Received): Event[] => received.json.events;
const requestIds = (received: Received) => eventsOf(received).map((one) => one.payload.requestId);

/** The events that arrived on a path, each as often as it came. */
const arrived = (path: string) => sink.at(path).flatMap(eventsOf);

/** A receiver that is busy with its first request for a while, so that the others gather. */
function busyAtFirst(path: string, rest: (received: Received) => number | string = () => 200) {
  sink.on(path, (attempt, received) => {
    const answer = rest(received);
    return {
      ...(typeof answer === "number" ? { status: answer } : { status: 200, body: answer }),
      ...(attempt === 1 && { status: 200, delay: 600 }),
    };
  });
}

async function callbackOf(requestId: string): Promise<any> {
  const list = await gateway.json("callback", "list", "--limit", "1000");
  return list.find((one: any) => one.message === requestId);
}

async function delivered(requestId: string): Promise<any> {
  return waitFor(`the callback of ${requestId} to be delivered`, async () => {
    const found = await callbackOf(requestId);
    return found?.state === "delivered" && found;
  });
}

test("one status alone comes at once, as a batch that is signed as a whole", async () => {
  const id = await send(sink.url("/alone"));
  const received = await sink.request("/alone");
  expectSchema("DeliveryStatuses", received.json);
  expectSigned(account.webhookSecret, received.headers, received.body);
  expect(requestIds(received)).toEqual([id]);
  const callback = await delivered(id);
  const [event] = eventsOf(received) as [Event];
  expect(event.id).toBe(callback.id);
  expect(event.timestamp).toBe(callback.created_at);
  expect(received.headers["webhook-id"]).not.toBe(event.id);
  expect(callback.batch).toEqual({ id: received.headers["webhook-id"], events: 1 });
});

test("statuses that come while a request is under way come with the next one", async () => {
  busyAtFirst("/gather");
  const first = await send(sink.url("/gather"));
  await sink.request("/gather");
  const others = await sendSome(4, sink.url("/gather"));
  const [, second] = (await sink.requests("/gather", 2)) as [Received, Received];
  expect(requestIds(sink.at("/gather")[0]!)).toEqual([first]);
  expect(requestIds(second)).toEqual(others);
  expect((await delivered(others[3]!)).batch.events).toBe(4);
});

test("no request has more than `max`, and none waits longer than `wait_ms`", async () => {
  sink.on("/hanging", (attempt) => ({ status: 200, ...(attempt === 1 && { delay: 4000 }) }));
  await send(sink.url("/hanging"));
  await sink.request("/hanging");
  const begun = Date.now();
  await sendSome(12, sink.url("/hanging"));
  const [, full, rest] = (await sink.requests("/hanging", 3)) as Received[];
  expect(eventsOf(full!)).toHaveLength(10);
  expect(eventsOf(rest!)).toHaveLength(2);
  expect(rest!.at - begun).toBeLessThan(3500);
});

test("the receiver asks for some again: they come under their ids, the others do not", async () => {
  let again: string[] = [];
  sink.on("/again", (attempt, received) => {
    if (attempt === 1) return { status: 200, delay: 600 };
    if (attempt > 2) return { status: 200 };
    again = eventsOf(received)
      .slice(0, 2)
      .map((one) => one.id);
    return { status: 200, body: JSON.stringify({ retry: [...again, "unknown"] }) };
  });
  await send(sink.url("/again"));
  await sink.request("/again");
  const others = await sendSome(4, sink.url("/again"));
  const [, second, third] = (await sink.requests("/again", 3)) as Received[];
  expect(requestIds(second!)).toEqual(others);
  expect(eventsOf(third!).map((one) => one.id)).toEqual(again);
  expect(third!.headers["webhook-id"]).not.toBe(second!.headers["webhook-id"]);
  const attempts = await account.gateway.json("callback", "show", again[0]!);
  expect(JSON.stringify(attempts)).toContain("asked for it again");
  expect((await delivered(others[3]!)).attempts).toBe(1);
  expect((await delivered(others[0]!)).attempts).toBe(2);
});

test.each(["ok", "{}", '{"retry":"all"}', '{"retry":[7]}', '{"retry":["'])(
  "the answer %s takes all",
  async (body) => {
    const path = `/takes-${Buffer.from(body).toString("hex")}`;
    sink.on(path, () => ({ status: 200, body }));
    expect((await delivered(await send(sink.url(path)))).attempts).toBe(1);
  },
);

test("413 halves a batch at once and is no attempt; of one event it is a failure", async () => {
  busyAtFirst("/large", (received) => (eventsOf(received).length > 1 ? 413 : 200));
  await send(sink.url("/large"));
  await sink.request("/large");
  const others = await sendSome(4, sink.url("/large"));
  const received = await sink.requests("/large", 8, 5000);
  const sizes = received.slice(1).map((one) => eventsOf(one).length);
  expect(sizes.sort()).toEqual([1, 1, 1, 1, 2, 2, 4]);
  for (const id of others) expect((await delivered(id)).attempts).toBe(1);

  sink.on("/too-large", () => ({ status: 413 }));
  const alone = await send(sink.url("/too-large"));
  await waitFor("its failure", async () => (await callbackOf(alone))?.attempts === 1);
  expect(await callbackOf(alone)).toMatchObject({ state: "waiting", last_status: 413 });
});

test("410 ends each event of a batch", async () => {
  busyAtFirst("/gone", () => 410);
  await send(sink.url("/gone"));
  await sink.request("/gone");
  const others = await sendSome(3, sink.url("/gone"));
  for (const id of others) {
    await waitFor("the end", async () => (await callbackOf(id))?.state === "gone");
  }
  const replayed = await callbackOf(others[1]!);
  sink.on("/gone", () => ({ status: 200 }));
  await gateway.json("callback", "replay", replayed.id);
  const last = await waitFor("the replay", () => sink.at("/gone")[2]);
  expect(eventsOf(last).map((one) => one.id)).toEqual([replayed.id]);
});

test("a bad event does not keep the others back", async () => {
  let bad = "";
  busyAtFirst("/bad", (received) => (requestIds(received).includes(bad) ? 500 : 200));
  await send(sink.url("/bad"));
  await sink.request("/bad");
  const others = await sendSome(3, sink.url("/bad"));
  bad = others[1]!;
  await waitFor(
    "the halves",
    () => sink.at("/bad").filter((one) => requestIds(one).includes(others[2]!)).length === 3,
    60_000,
  );
  await delivered(others[2]!);
  expect((await callbackOf(bad)).state).toBe("waiting");
}, 90_000);

test("a test is posted as a batch, too", async () => {
  const test = await gateway.json("callback", "test", account.id, "--url", sink.url("/test"));
  expect(test).toMatchObject({ delivered: true, status: 200 });
  const [event, ...others] = eventsOf(await sink.request("/test"));
  expect(event!.payload.details).toBe("Callback percobaan");
  expect(others).toEqual([]);
});

test("without batches each status is posted as before", async () => {
  const { account: by, device: from } = await shop(gateway);
  const id = await send(sink.url("/single"), from, by);
  const { json, headers } = await sink.request("/single");
  expectSchema("DeliveryStatus", json);
  expect(json.requestId).toBe(id);
  expect((await delivered(id)).id).toBe(headers["webhook-id"]);
  await gateway.json("account", "set", by.id, "--callback-batch", "2/0ms");
  await send(sink.url("/together"), from, by);
  expectSchema("DeliveryStatuses", (await sink.request("/together")).json);
  await gateway.json("account", "set", by.id, "--callback-batch", "none");
  await send(sink.url("/single-again"), from, by);
  expectSchema("DeliveryStatus", (await sink.request("/single-again")).json);
});

test("an account sets its batches itself, within the limits", async () => {
  const { key } = await account.createKey({ scopes: "account:manage,account:read" });
  const patch = async (callback_batch: unknown) => {
    const answer = await gateway.request({
      method: "PATCH",
      path: "/v1/account",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ callback_batch }),
    });
    return { status: answer.status, json: JSON.parse(answer.text) };
  };
  for (const wrong of [
    7,
    "10/1000ms",
    {},
    { max: 1 },
    { wait_ms: 1 },
    { max: 0, wait_ms: 0 },
    { max: 101, wait_ms: 0 },
    { max: 1, wait_ms: 5001 },
    { max: 1, wait_ms: -1 },
    { max: 1, wait_ms: 0, other: 1 },
  ]) {
    expect((await patch(wrong)).status, JSON.stringify(wrong)).toBe(400);
  }
  const batch = { max: 10, wait_ms: 1000 };
  expect(await patch(batch)).toMatchObject({ status: 200, json: { callback_batch: batch } });
});

test("a receiver that fails half of the batches gets each event, under one id", async () => {
  const failed = new Set<string>();
  const taken = new Set<string>();
  sink.on("/half", (attempt, received) => {
    const events = eventsOf(received);
    const fails = attempt % 2 === 0 && !events.some((one) => failed.has(one.id));
    if (fails) for (const one of events) failed.add(one.id);
    else for (const one of events) taken.add(one.payload.requestId);
    return { status: fails ? 500 : 200 };
  });
  const ids = await sendSome(60, sink.url("/half"));
  await waitFor("every event", () => ids.every((id) => taken.has(id)), 60_000);
  expect(failed.size).toBeGreaterThan(5);
  const idOf = new Map<string, string>();
  for (const { id, payload } of arrived("/half")) {
    expect(idOf.get(payload.requestId) ?? id).toBe(id);
    idOf.set(payload.requestId, id);
  }
}, 90_000);

test("after kill -9 each event was taken, or comes again under its id", async () => {
  const local = await Sink.open({ secure: false });
  const killed = await Gateway.create({ settings: { "outbound.allow_http_callbacks": true } });
  try {
    const { account: by, device: from } = await shop(killed);
    await killed.json("account", "set", by.id, "--callback-batch", "20/100ms");
    local.on("/kill", () => ({ status: 200, delay: 50 }));
    const accepted: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const load = async () => {
        for (;;) {
          try {
            accepted.push(await send(local.url("/kill"), from, by));
          } catch {
            return; // The gateway is gone.
          }
        }
      };
      const callers = [load(), load(), load(), load()];
      await pause(300 + Math.random() * 700); // The random moment.
      await killed.kill();
      await Promise.all(callers);
      await killed.start();
    }
    expect(accepted.length).toBeGreaterThan(30);
    const seen = () => local.at("/kill").flatMap(eventsOf);
    await waitFor(
      "every event",
      () => {
        const told = new Set(seen().map((one) => one.payload.requestId));
        return accepted.every((id) => told.has(id));
      },
      90_000,
    );
    const ids = new Map<string, string>();
    for (const { id, payload } of seen()) {
      expect(ids.get(payload.requestId) ?? id).toBe(id);
      ids.set(payload.requestId, id);
    }
    expect(Math.max(...local.at("/kill").map((one) => eventsOf(one).length))).toBeGreaterThan(1);
  } finally {
    await killed.close();
    await local.close();
  }
}, 180_000);
