// Every page, in both themes and languages, on a desktop and a phone: no accessibility barriers,
// and no violations of the content security policy. MERPATI_SCREENSHOTS=FOLDER saves screenshots.
//
// Each check is made wherever its result can differ: that of colours in both themes, that of names
// and of the page's width in both languages, all of them at both widths. What surrounds all pages
// is checked once for each person, and a page below a dialog only by itself.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  barriers,
  type Language,
  openBrowser,
  type Part,
  type Rules,
  type Scheme,
  Visitor,
} from "./support/browser.ts";
import { visit } from "./support/web_people.ts";
import { openWebShop, type WebShop } from "./support/web_shop.ts";

const folder = process.env["MERPATI_SCREENSHOTS"];
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

let world: WebShop;
let browser: Browser;

beforeAll(async () => {
  [world, browser] = await Promise.all([openWebShop(), openBrowser()]);
  if (folder) mkdirSync(folder, { recursive: true });
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

const pages: [string, () => string][] = [
  ["overview", () => "/"],
  ["send", () => "/send"],
  ["messages", () => "/messages"],
  ["messages-filtered", () => "/messages?state=failed&code=1001"],
  ["messages-none", () => "/messages?to=6281999999999"],
  ["message", () => `/messages/${world.message}`],
  ["message-waiting", () => `/messages/${world.waiting}`],
  ["campaigns", () => "/campaigns"],
  ["campaign", () => `/campaigns/${world.paused}`],
  ["campaign-audience", () => `/campaigns/${world.draft}`],
  ["campaign-message", () => `/campaigns/${world.draft}?step=message`],
  ["campaign-sending", () => `/campaigns/${world.draft}?step=sending`],
  ["campaign-review", () => `/campaigns/${world.draft}?step=review`],
  ["contacts", () => "/contacts"],
  ["contacts-none", () => "/contacts?text=nobody"],
  ["contact", () => `/contacts/${world.contact}`],
  ["contact-none", () => "/contacts/6281299999999"],
  ["suppressions", () => "/suppressions"],
  ["devices", () => "/devices"],
  ["device", () => `/devices/${world.device}`],
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
  ["create-campaign", () => "/campaigns", /^(Buat kampanye|Create a campaign)$/],
  ["pace", () => `/campaigns/${world.paused}`, /^(Laju dan perangkat|Pace and devices)$/],
  ["link", () => `/devices/${world.unlinked}`, /^(Tautkan|Link)$/],
  ["remove-device", () => `/devices/${world.device}`, /^(Hapus perangkat|Remove the device)$/],
  ["create-key", () => "/keys", /^(Buat kunci|Create a key)$/],
  ["rotate-secret", () => "/account", /^(Ganti rahasia|Rotate the secret)$/],
  ["test-callback", () => "/callbacks", /^(Uji callback|Test a callback)$/],
  ["create-account", () => "/accounts", /^(Buat akun|Create an account)$/],
  ["add-contact", () => "/contacts", /^(Tambah kontak|Add a contact)$/],
  ["edit-contact", () => `/contacts/${world.contact}`, /^(Ubah kontak|Edit the contact)$/],
  ["erase-contact", () => `/contacts/${world.contact}`, /^(Hapus di semua|Remove everywhere)/],
  ["import-contacts", () => "/contacts", /^(Impor|Import)$/],
  ["add-suppression", () => "/suppressions", /^(Tambah nomor|Add a number)$/],
  ["import-suppressions", () => "/suppressions", /^(Impor|Import)$/],
  ["add-person", () => "/people", /^(Tambah pengguna|Add a person)$/],
];

const MENU = /^(Tindakan|Actions)/;
const menus: [string, () => string, RegExp, RegExp][] = [
  ["edit-account", () => "/accounts", /Toko Kenanga/, /^(Ubah akun|Edit the account)$/],
  ["allow-again", () => "/suppressions", /(menolak|refused)/, /^(Boleh dihubungi|Allow again)/],
  ["revoke-key", () => "/keys", /laporan-harian/, /^(Cabut|Revoke)$/],
];

// Pages with instructions for an empty account.
const empty = [
  "/",
  "/send",
  "/messages",
  "/campaigns",
  "/contacts",
  "/suppressions",
  "/devices",
  "/callbacks",
  "/keys",
  "/account",
  "/usage",
];

/** What a look is about. */
const WHOLE: Part = {};
const PAGE: Part = { exclude: "#root > * > :is(aside, header)" }; // Without the navigation.
const ABOVE: Part = { include: "body > :not(#root), [aria-expanded=true]" };

interface View {
  width: number;
  scheme: Scheme;
  rules?: Rules; // Undefined: it is only for screenshots.
}

const VIEWS: Record<Language, View[]> = {
  id: [
    { width: 1440, scheme: "light", rules: "all" },
    { width: 390, scheme: "light", rules: "all" },
    { width: 390, scheme: "dark", rules: "colours" },
    { width: 1440, scheme: "dark", rules: "colours" },
  ],
  en: [
    { width: 1440, scheme: "light", rules: "no colours" },
    { width: 390, scheme: "light", rules: "no colours" },
    { width: 390, scheme: "dark" },
    { width: 1440, scheme: "dark" },
  ],
};

/** Looks at what is shown, in each view of the language. */
async function look(visitor: Visitor, what: string, language: Language, part: Part): Promise<void> {
  const { page } = visitor;
  for (const { width, scheme, rules } of VIEWS[language]) {
    if (!rules && !folder) continue;
    const name = `${what}-${scheme}-${language}-${width}`;
    await page.setViewportSize({ width, height: 900 });
    await visitor.becomes(scheme);
    await visitor.settled();
    if (rules) expect(await barriers(page, rules, part), name).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide, `${name}: wider than its window`).toBeLessThanOrEqual(width);
    await saveScreenshot(page, name);
  }
  VIEWS[language].reverse(); // The next look begins with the view that is shown now.
}

async function saveScreenshot(page: Page, name: string): Promise<void> {
  if (!folder) return;
  const fullPage = (await page.getByRole("dialog").count()) === 0;
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
}

describe.each(["id", "en"] as Language[])("%s", (language) => {
  test("signing in", async () => {
    const visitor = await Visitor.open(browser, { baseUrl: world.gateway.url, language });
    await visitor.goto("/");
    await look(visitor, "sign-in", language, WHOLE);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("every page", async () => {
    const visitor = await visit(browser, world.gateway, world.admin, { language });
    await visitor.goto("/");
    for (const [name, path] of pages) {
      await visitor.follow(path());
      await look(visitor, name, language, path() === "/" ? WHOLE : PAGE);
    }
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("a newcomer's pages", async () => {
    const visitor = await visit(browser, world.gateway, world.newcomer, { language });
    await visitor.goto("/");
    for (const path of empty) {
      await visitor.follow(path);
      const name = `empty${path.replace("/", "-")}`;
      await look(visitor, name, language, path === "/" ? WHOLE : PAGE);
    }
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("what opens over a page", async () => {
    const visitor = await visit(browser, world.gateway, world.admin, { language });
    await visitor.goto("/");
    const { page } = visitor;
    const above = async (name: string) => {
      await look(visitor, name, language, ABOVE);
      await page.keyboard.press("Escape");
    };
    for (const [name, path, button] of dialogs) {
      await visitor.follow(path());
      const parts = page.locator("main, [role=dialog]");
      await parts.getByRole("button", { name: button }).first().click();
      await page.getByRole("dialog").last().waitFor();
      await above(name);
    }
    for (const [name, path, row, action] of menus) {
      await visitor.follow(path());
      const actions = page.getByRole("row", { name: row }).getByRole("button", { name: MENU });
      await actions.click();
      const item = page.getByRole("menuitem", { name: action });
      await item.waitFor();
      await look(visitor, `${name}-menu`, language, ABOVE);
      await item.click();
      await page.getByRole("dialog").last().waitFor();
      await above(name);
    }
    await visitor.follow("/messages");
    await page.getByRole("button", { name: /^(Waktu|Time)/ }).click();
    await page.getByLabel(/^(Sejak|Since)$/).waitFor();
    await above("time-filter");
    await visitor.follow("/");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await above("palette");
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });
});
