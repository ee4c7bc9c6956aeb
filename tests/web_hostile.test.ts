// What strangers write, shown in the web app: it stays text.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { openBrowser, soon } from "./support/browser.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber } from "./support/numbers.ts";
import { Sink } from "./support/sink.ts";
import { person, type SomePerson } from "./support/people.ts";
import { visit } from "./support/web_people.ts";

const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}`;

// A browser is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let gateway: Gateway;
let browser: Browser;
let sink: Sink;
let admin: SomePerson;
let account: Account;
let message = "";

beforeAll(async () => {
  sink = await Sink.open({ secure: false });
  [gateway, browser] = await Promise.all([
    Gateway.create({ settings: { "outbound.allow_http_callbacks": true } }),
    openBrowser(),
  ]);
  let device: string;
  ({ account, device } = await shop(gateway));
  await gateway.json("account", "set", account.id, "--name", HOSTILE);
  await account.createKey({ name: HOSTILE });
  admin = await person(gateway, "ani@toko.example", "--admin");
  sink.on("/hostile?<script>alert(3)</script>", () => ({ status: 500, body: HOSTILE }));
  const body = { to: freshNumber(), from: device, message: HOSTILE, Type: "text" };
  const callbackStatus = sink.url("/hostile?%3Cscript%3Ealert(3)%3C/script%3E");
  message = (await account.send({ ...body, callbackStatus })).json.data.requestId;
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
  await sink.close();
});

test("no page runs or draws what a stranger wrote", async () => {
  const visitor = await visit(browser, gateway, admin);
  const { page } = visitor;
  const requested: string[] = [];
  page.on("request", (request) => requested.push(new URL(request.url()).pathname));
  const paths = ["/", "/messages", `/messages/${message}`, "/callbacks", "/keys", "/account"];
  for (const path of [...paths, "/accounts", "/people", "/developers", "/server"]) {
    await visitor.goto(path);
    if (path.startsWith("/messages/")) {
      await page.getByRole("button", { name: "Show the text" }).click();
      await page.locator("pre").filter({ hasText: "onerror=alert(1)" }).waitFor();
    }
    expect(await page.locator('img[src="x"], main script').count(), path).toBe(0);
    expect(await page.getByText("49", { exact: true }).count(), path).toBe(0);
  }
  expect(visitor.complaints).toEqual([]);
  expect(requested.filter((path) => path.endsWith("/x"))).toEqual([]);
  await visitor.close();
});

test("an address of the app that is hostile itself does nothing", async () => {
  const visitor = await visit(browser, gateway, admin);
  const { page } = visitor;
  const text = encodeURIComponent(HOSTILE);
  for (const path of [`/messages/${text}`, `/messages?state=${text}`, `/devices/${text}`]) {
    await page.goto(`/app${path}`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    expect(await page.locator('img[src="x"]').count(), path).toBe(0);
  }
  await page.goto(`/app/sign-in#${text}`);
  await page.getByRole("alert").waitFor();
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});

test("no other page can show it in a frame", async () => {
  const visitor = await visit(browser, gateway, admin);
  const { page } = visitor;
  await page.goto(`${sink.url("/page")}`);
  await page.setContent(`<iframe src="${gateway.url}/app/"></iframe>`);
  const frame = page.frames()[1];
  await soon(() => frame?.url()).toContain("chrome-error:");
  await visitor.close();
});
