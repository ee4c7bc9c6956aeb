// Every page, in both themes and languages, wide and on a phone: nothing keeps people from using
// it, and nothing breaks the policy. MERPATI_SCREENSHOTS=FOLDER keeps what was seen.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { barriers, type Language, openBrowser, type Scheme, Visitor } from "./support/browser.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, simulated } from "./support/numbers.ts";
import { Sink } from "./support/sink.ts";
import { person, type SomePerson } from "./support/people.ts";
import { visit } from "./support/web_people.ts";

const folder = process.env["MERPATI_SCREENSHOTS"];
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

let gateway: Gateway;
let browser: Browser;
let sink: Sink;
let admin: SomePerson;
let account: Account;
let device: string;
let unlinked: string;
let message = "";

beforeAll(async () => {
  sink = await Sink.open({ secure: false });
  [gateway, browser] = await Promise.all([
    Gateway.create({ settings: { "outbound.allow_http_callbacks": true } }),
    openBrowser(),
  ]);
  ({ account, device } = await shop(gateway, { credits: 12_840, callback: sink.url("/status") }));
  admin = await person(gateway, "ani@toko.example", "--admin");
  unlinked = simulated("992005");
  await gateway.json("device", "add", account.id, unlinked);
  const recipients = [freshNumber(), freshNumber(), "6281234991001", freshNumber()];
  for (const to of recipients) {
    const answer = await account.send({ to, from: device, message: "Halo", Type: "text" });
    message ||= answer.json.data.requestId;
  }
  await account.send({ to: freshNumber(), from: device, message: "x", Type: "text", delay: 3600 });
  await sink.requests("/status", recipients.length);
  if (folder) mkdirSync(folder, { recursive: true });
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
  await sink.close();
});

const pages: [string, () => string][] = [
  ["overview", () => "/"],
  ["messages", () => "/messages"],
  ["message", () => `/messages/${message}`],
  ["devices", () => "/devices"],
  ["device", () => `/devices/${device}`],
  ["callbacks", () => "/callbacks"],
  ["keys", () => "/keys"],
  ["account", () => "/account"],
  ["usage", () => "/usage"],
  ["developers", () => "/developers"],
  ["settings", () => "/settings"],
  ["accounts", () => "/accounts"],
  ["people", () => "/people"],
  ["server", () => "/server"],
  ["missing", () => "/no-such-page"],
];

const dialogs: [string, () => string, RegExp][] = [
  ["add-device", () => "/devices", /^(Tambah perangkat|Add a device)$/],
  ["link", () => `/devices/${unlinked}`, /^(Tautkan|Link)$/],
  ["remove-device", () => `/devices/${device}`, /^(Hapus perangkat|Remove the device)$/],
  ["create-key", () => "/keys", /^(Buat kunci|Create a key)$/],
  ["edit-account", () => "/accounts", /^(Ubah akun|Edit the account)$/],
];

const WIDTHS = [1440, 390];

async function lookAt(visitor: Visitor, name: string, width: number): Promise<void> {
  const { page } = visitor;
  await page.setViewportSize({ width, height: 900 });
  await visitor.settled();
  expect(await barriers(page), name).toEqual([]);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide, `${name}: wider than its window`).toBeLessThanOrEqual(width);
  if (folder) await page.screenshot({ path: join(folder, `${name}-${width}.png`) });
}

const looks = (["light", "dark"] as Scheme[]).flatMap((scheme) =>
  (["id", "en"] as Language[]).map((language): [Scheme, Language] => [scheme, language]),
);

describe.each(looks)("%s, %s", (scheme, language) => {
  const look = async (visitor: Visitor, name: string) => {
    for (const width of WIDTHS) await lookAt(visitor, `${name}-${scheme}-${language}`, width);
  };

  test("signing in", async () => {
    const visitor = await Visitor.open(browser, { baseUrl: gateway.url, scheme, language });
    await visitor.goto("/");
    await look(visitor, "sign-in");
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("every page", async () => {
    const visitor = await visit(browser, gateway, admin, { scheme, language });
    for (const [name, path] of pages) {
      await visitor.goto(path());
      await look(visitor, name);
    }
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("what opens over a page", async () => {
    const visitor = await visit(browser, gateway, admin, { scheme, language });
    const { page } = visitor;
    for (const [name, path, button] of dialogs) {
      await visitor.goto(path());
      await page.locator("main, [role=dialog]").getByRole("button", { name: button }).click();
      await page.getByRole("dialog").last().waitFor();
      await look(visitor, name);
    }
    await visitor.goto("/");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await look(visitor, "palette");
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });
});
