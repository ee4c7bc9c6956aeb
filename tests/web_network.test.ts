// A page that stays open while the network or the gateway fails and comes back.
import { request } from "node:http";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { openBrowser, soon, type Visitor } from "./support/browser.ts";
import { Cuttable } from "./support/cuttable.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber } from "./support/numbers.ts";
import { person } from "./support/people.ts";
import { waitFor } from "./support/wait.ts";
import { visit } from "./support/web_people.ts";

let gateway: Gateway;
let browser: Browser;
let network: Cuttable;
let account: Account;
let device: string;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.create(), openBrowser()]);
  network = await Cuttable.open(gateway.port);
  ({ account, device } = await shop(gateway));
  const owner = await person(gateway, "ani@toko.example", "--admin");
  visitor = await visit(browser, network, owner);
  page = visitor.page;
  await visitor.goto("/messages");
  await page.getByText("No messages yet").waitFor();
});
afterAll(async () => {
  await browser.close();
  await network.close();
  await gateway.close();
});

async function send(to = freshNumber()): Promise<string> {
  const body = { to, from: device, message: "Halo", Type: "text", delay: 3600 };
  expect((await account.send(body)).status).toBe(200);
  return to;
}

const row = (to: string) => page.getByRole("table", { name: "Messages" }).getByText(to);

/** Waits until the page gets its updates from the stream instead of polling. */
async function isLive(): Promise<void> {
  await page.locator("main[data-live=true]").waitFor();
}

const EVENTS_KEPT = 1_024; // Of an account (src/api/events/event_ring.hpp).
const EVENTS_AT_ONCE = 20;

/** Counts the events of the account on a stream that is never cut off. */
async function watch(): Promise<{ count: () => number; close: () => void }> {
  const { key } = await account.createKey({ scopes: "messages:read" });
  let events = 0;
  let begun = false;
  const asked = request(`${gateway.url}/v1/events`, {
    headers: { authorization: `Bearer ${key}` },
  });
  asked.on("error", () => undefined);
  asked.on("response", (answer) => {
    begun = true;
    answer.setEncoding("utf8").on("error", () => undefined);
    answer.on("data", (piece: string) => (events += piece.split("\nevent: ").length - 1));
  });
  asked.end();
  await waitFor("the stream", () => begun);
  return { count: () => events, close: () => asked.destroy() };
}

/** Runs in the page before the app: counts the gateway's "resync" events. */
function countResyncs(): void {
  const world = globalThis as any;
  world.resyncs = 0;
  world.EventSource = class extends EventSource {
    constructor(url: string) {
      super(url);
      this.addEventListener("resync", () => (world.resyncs += 1));
    }
  };
}

test("what happened while the network was away is there when it is back", async () => {
  await isLive();
  const before = await send();
  await row(before).waitFor();
  network.cut();
  await page.locator("main[data-live=false]").waitFor();
  const meanwhile = [await send(), await send()];
  const failed = page.waitForEvent("requestfailed", (one) => one.url().includes("/devices-"));
  await page.getByRole("link", { name: "Devices", exact: true }).click();
  await failed;
  await page.getByRole("link", { name: "Messages", exact: true }).click();
  await row(before).waitFor(); // Known messages stay on the page.
  network.mend();
  for (const to of meanwhile) await row(to).waitFor();
  await isLive();
  // A page whose code could not be loaded is not lost either.
  await page.getByRole("link", { name: "Devices", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Devices" }).waitFor();
  await page.getByRole("link", { name: "Messages", exact: true }).click();
  await row(before).waitFor();
});

test("the same where the browser itself says that it is offline", async () => {
  await isLive();
  await visitor.context.setOffline(true);
  const meanwhile = await send();
  await visitor.context.setOffline(false);
  network.cut(); // A stream that was open outlives the emulation.
  network.mend();
  await row(meanwhile).waitFor();
  await isLive();
});

test("a gateway that was started again knows no old events: all is read anew", async () => {
  await isLive();
  await gateway.stop();
  await page.locator("main[data-live=false]").waitFor();
  await gateway.start();
  const first = await send();
  await row(first).waitFor();
  await isLive();
  const later = await send();
  await row(later).waitFor();
});

test("who comes back after more than the gateway keeps reads all anew", async () => {
  await visitor.context.addInitScript(countResyncs);
  await visitor.goto("/messages");
  await isLive();
  const watcher = await watch();
  const before = await send();
  await row(before).waitFor();
  const resyncs = () => page.evaluate(() => (globalThis as any).resyncs as number);
  expect(await resyncs()).toBe(0);
  network.cut();
  await page.locator("main[data-live=false]").waitFor();
  // Sent in small groups, because many changes at one moment become a single event.
  let last = before;
  const begun = watcher.count();
  while (watcher.count() - begun <= EVENTS_KEPT) {
    const told = watcher.count();
    const sends = Array.from({ length: EVENTS_AT_ONCE }, () => send());
    last = (await Promise.all(sends)).at(-1)!;
    await waitFor("the events", () => watcher.count() >= told + EVENTS_AT_ONCE);
  }
  watcher.close();
  network.mend();
  await row(last).waitFor();
  await isLive();
  await soon(resyncs).toBe(1);
  const later = await send();
  await row(later).waitFor();
});

test("a message whose detail is open follows what happens to it across a cut", async () => {
  const to = await send();
  await row(to).click();
  const drawer = page.getByRole("dialog", { name: "Message" });
  await drawer.getByText("Waiting").first().waitFor();
  const id = page.url().split("/").at(-1)!;
  network.cut();
  await gateway.json("message", "cancel", id);
  network.mend();
  await drawer.getByText("Cancelled").first().waitFor();
  await soon(() => visitor.complaints).toEqual([]);
});
