// Lists longer than a page: no item is left out silently. The test lowers the `limit` of requests
// on their way to the gateway.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Account } from "./support/account.ts";
import { openBrowser, soon, type Visitor } from "./support/browser.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber } from "./support/numbers.ts";
import { person } from "./support/people.ts";
import { visit } from "./support/web_people.ts";

const PAGE = 3;
const MANY = 7; // Of each: two pages, and one on the third.
const numbers = Array.from({ length: MANY }, freshNumber);

let gateway: Gateway;
let browser: Browser;
let account: Account;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.create(), openBrowser()]);
  const admin = await person(gateway, "ani@toko.example", "--admin");
  account = await gateway.account();
  for (const [place, number] of numbers.entries()) {
    await account.device(number);
    await account.createKey({ name: `kunci-${place}` });
    await person(gateway, `p${place}@toko.example`, "--account", account.id, "--role", "viewer");
    if (place > 0) await gateway.account();
  }
  visitor = await visit(browser, gateway, admin);
  page = visitor.page;
  await page.route("**/v1/**", (route) => {
    const url = new URL(route.request().url());
    const isList = /\/(people|accounts|keys|devices|log|credit|messages|callbacks)$/;
    const isShortened = route.request().method() === "GET" && isList.test(url.pathname);
    if (isShortened) url.searchParams.set("limit", `${PAGE}`);
    return isShortened ? route.continue({ url: url.href }) : route.continue();
  });
});
afterAll(async () => {
  expect(visitor.complaints).toEqual([]);
  await browser.close();
  await gateway.close();
});

const rowsOf = (label: string) => page.getByRole("table", { name: label }).locator("tbody tr");

/** Loads all pages of a list. */
async function loadAll(label: string): Promise<void> {
  const table = page.getByRole("table", { name: label });
  const frame = page.locator("div").filter({ has: table }).last();
  const more = frame.getByRole("button", { name: "Load more" });
  for (;;) {
    const before = await rowsOf(label).count();
    if ((await more.count()) === 0) return;
    await more.click();
    // The last page may turn out to be empty.
    const isThere = async () =>
      (await rowsOf(label).count()) > before || (await more.count()) === 0;
    await soon(isThere).toBe(true);
  }
}

test.each([
  ["/people", "People", MANY + 1],
  ["/accounts", "All accounts", MANY],
  ["/keys", "API keys", MANY],
  ["/devices", "Devices", MANY],
  ["/account", "People", MANY],
])("%s shows all of them: %s", async (path, label, count) => {
  await visitor.goto(path);
  await soon(() => rowsOf(label).count()).toBe(PAGE);
  await loadAll(label);
  expect(await rowsOf(label).count()).toBe(count);
});

test("the log of changes goes on to its first entry", async () => {
  await visitor.goto("/server");
  const first = page.getByRole("table", { name: "Log of changes" }).getByText("per_1");
  await soon(() => rowsOf("Log of changes").count()).toBe(PAGE);
  expect(await first.count()).toBe(0);
  await loadAll("Log of changes");
  await first.waitFor();
});

test("a device further down than the list was read opens by its address", async () => {
  await visitor.goto(`/devices/${numbers.at(-1)}`);
  const drawer = page.getByRole("dialog", { name: numbers.at(-1)! });
  await drawer.getByText("Connected").waitFor();
  await visitor.goto("/devices/6280000000000");
  await page.getByRole("alert").getByText("Not found, or not yours.").waitFor();
});

test("choices and sums are of all of them", async () => {
  await visitor.goto("/messages");
  await page.getByRole("combobox", { name: "Device" }).click();
  await soon(() => page.getByRole("option").count()).toBe(MANY);
  await visitor.goto("/");
  await page.getByText(`${MANY} of ${MANY}`).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill("Use account");
  await soon(() => page.getByRole("option").count()).toBe(MANY - 1);
});

test("accounts that cannot be listed are an error, not an empty server", async () => {
  let fails = true;
  await page.route("**/v1/admin/accounts*", (route) => (fails ? route.abort() : route.fallback()));
  await page.goto("/app/");
  await page.getByRole("alert").getByText("The gateway cannot be reached").waitFor();
  expect(await page.getByText("No account yet").count()).toBe(0);
  fails = false;
  await page.getByText(`${MANY} of ${MANY}`).waitFor();
});
