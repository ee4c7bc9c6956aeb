// A page that stays open while the network, or the gateway, comes and goes.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { openBrowser, soon, type Visitor } from "./support/browser.ts";
import { Cuttable } from "./support/cuttable.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber } from "./support/numbers.ts";
import { person } from "./support/people.ts";
import { visit } from "./support/web_people.ts";

// A browser is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

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

/** What the page is told while it is open comes by the stream, not by asking every few seconds. */
async function isLive(): Promise<void> {
  await page.locator("main[data-live=true]").waitFor();
}

test("what happened while the network was away is there when it is back", async () => {
  await isLive();
  const before = await send();
  await row(before).waitFor();
  network.cut();
  await page.locator("main[data-live=false]").waitFor();
  const meanwhile = [await send(), await send()];
  await page.getByRole("link", { name: "Devices", exact: true }).click();
  await page.getByRole("link", { name: "Messages", exact: true }).click();
  await row(before).waitFor(); // What was known stays on the page.
  network.mend();
  for (const to of meanwhile) await row(to).waitFor();
  await isLive();
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
