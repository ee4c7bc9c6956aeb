// Every page, in both themes and languages, wide and on a phone: nothing keeps people from using
// it, and nothing breaks the policy. MERPATI_SCREENSHOTS=FOLDER keeps what was seen.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { barriers, type Language, openBrowser, type Scheme, Visitor } from "./support/browser.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber } from "./support/numbers.ts";
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
let message = "";

beforeAll(async () => {
  sink = await Sink.open({ secure: false });
  [gateway, browser] = await Promise.all([
    Gateway.create({ settings: { "outbound.allow_http_callbacks": true } }),
    openBrowser(),
  ]);
  ({ account, device } = await shop(gateway, { credits: 12_840, callback: sink.url("/status") }));
  admin = await person(gateway, "ani@toko.example", "--admin");
  await account.device();
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

async function look(visitor: Visitor, name: string): Promise<void> {
  expect(await barriers(visitor.page), name).toEqual([]);
  const wide = await visitor.page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide, `${name}: wider than its window`).toBeLessThanOrEqual(
    visitor.page.viewportSize()!.width,
  );
  if (folder) await visitor.page.screenshot({ path: join(folder, `${name}.png`) });
}

const looks: [Scheme, Language, number][] = [
  ["light", "en", 1440],
  ["dark", "id", 1440],
  ["light", "id", 390],
  ["dark", "en", 390],
];

describe.each(looks)("%s, %s, %i pixels", (scheme, language, width) => {
  test("signing in", async () => {
    const visitor = await Visitor.open(browser, {
      baseUrl: gateway.url,
      scheme,
      language,
      width,
    });
    await visitor.goto("/");
    await look(visitor, `sign-in-${scheme}-${language}-${width}`);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("every page", async () => {
    const visitor = await visit(browser, gateway, admin, { scheme, language, width });
    for (const [name, path] of pages) {
      await visitor.goto(path());
      await look(visitor, `${name}-${scheme}-${language}-${width}`);
    }
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });
});
