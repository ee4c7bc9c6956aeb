// An orderly stop waits for sends in flight, and the next start repeats none that ended.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway, type Settings } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

const sends = 20;

let sink: Sink;
beforeAll(async () => void (sink = await Sink.open({ secure: false })));
afterAll(() => sink.close());

/** A gateway with `sends` messages in flight, none answered by the platform. */
async function busy(settings: Settings): Promise<{ gateway: Gateway; account: Account }> {
  const gateway = await Gateway.create({ settings });
  const { account, device } = await shop(gateway);
  for (let count = 0; count < sends; count += 1) {
    const body = { to: freshNumber(), from: device, message: freshText(), Type: "text" };
    expectAccepted(await account.send(body));
  }
  await waitFor("the sends to be under way", async () =>
    (await gateway.request({ method: "GET", path: "/metrics" })).text.includes(
      `merpati_sends_in_flight ${sends}\n`,
    ),
  );
  return { gateway, account };
}

async function states(gateway: Gateway): Promise<string[]> {
  return (await gateway.json("message", "list")).map((one: any) => one.state);
}

test.each([
  { what: "end in time", latency: 2_000, drain: "20s" },
  { what: "are still under way when the time is over", latency: 60_000, drain: "1s" },
])("sends that $what are made once", async ({ latency, drain }) => {
  const { gateway } = await busy({
    "simulator.latency_ms": latency,
    "http.drain_timeout": drain,
  });
  expect(await gateway.stop()).toBe(0);
  expect(gateway.simulator.all()).toHaveLength(sends);
  gateway.configure({ "simulator.latency_ms": 5 });
  await gateway.start();
  expect(await states(gateway)).toEqual(Array(sends).fill("sent"));
  expect(gateway.simulator.all()).toHaveLength(sends);
  await gateway.close();
});

test("a second signal ends it at once, and the next start sends what was under way", async () => {
  const { gateway } = await busy({
    "simulator.latency_ms": 60_000,
    "http.drain_timeout": "10m",
  });
  process.kill(gateway.pid, "SIGTERM");
  await waitFor("it to begin", () => gateway.log.includes("stopping"));
  expect(await gateway.stop()).not.toBe(0);
  expect(gateway.simulator.all()).toEqual([]);
  gateway.configure({ "simulator.latency_ms": 5 });
  await gateway.start();
  await waitFor("all to be sent", async () =>
    (await states(gateway)).every((state) => state === "sent"),
  );
  expect(gateway.simulator.all()).toHaveLength(sends);
  await gateway.close();
});

test("a callback under way is waited for, and not repeated", async () => {
  const gateway = await Gateway.create({
    settings: { "outbound.allow_http_callbacks": true },
  });
  const { account, device } = await shop(gateway);
  const path = "/slow-at-the-end";
  sink.on(path, () => ({ status: 200, delay: 3_000 }));
  const body = { to: freshNumber(), from: device, message: freshText(), Type: "text" };
  expectAccepted(await account.send({ ...body, callbackStatus: sink.url(path) }));
  await waitFor("the callback to be under way", () => sink.at(path).length === 1);
  expect(await gateway.stop()).toBe(0);
  await gateway.start();
  const [callback] = await gateway.json("callback", "list");
  expect(callback.state).toBe("delivered");
  expect(sink.at(path)).toHaveLength(1);
  await gateway.close();
});
