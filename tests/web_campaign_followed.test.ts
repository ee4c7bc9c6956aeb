// Campaigns in the web app that others start and pause: they are followed without a reload.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { barriers, openBrowser, type Visitor } from "./support/browser.ts";
import { CampaignPage } from "./support/campaign_page.ts";
import { call, keyWith } from "./support/catalogue.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import { person } from "./support/people.ts";
import { visit } from "./support/web_people.ts";

// A browser is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let gateway: Gateway;
let browser: Browser;
let account: Account;
let device: string;
let key: string;
let visitor: Visitor;
let page: Page;
let campaigns: CampaignPage;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.create(), openBrowser()]);
  ({ account, device } = await shop(gateway, { credits: 1_000 }));
  key = await keyWith(account, ["campaigns:read", "campaigns:manage"]);
  const flags = ["--account", account.id, "--role", "operator"];
  visitor = await visit(browser, gateway, await person(gateway, "kasir@toko.example", ...flags));
  page = visitor.page;
  campaigns = new CampaignPage(visitor);
});
afterAll(async () => {
  expect(visitor.complaints).toEqual([]);
  await browser.close();
  await gateway.close();
});

async function done(path: string, body: unknown, headers = {}): Promise<any> {
  const row = { method: "POST", path: `/v1/campaigns${path}` };
  const answer = await call(gateway, row, { key, headers }, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

async function campaign(name: string, to: string[], more = {}): Promise<string> {
  const text = { message: freshText(), purpose: "transactional" };
  const { id } = await done("", { name, devices: [device], ...text, ...more });
  const rows = ["nomor", ...to].join("\n");
  await done(`/${id}/recipients`, rows, { "content-type": "text/csv" });
  return id as string;
}

test("a campaign is followed to its end without a reload, by events", async () => {
  const failing = [simulated("991001"), simulated("991001"), simulated("995002")];
  const to = [...failing, ...Array.from({ length: 5 }, freshNumber), "08"];
  const id = await campaign("Pengingat", to);
  await visitor.goto("/campaigns");
  const row = page.getByRole("row", { name: /Pengingat/ });
  await row.getByText("Draft", { exact: true }).waitFor();
  await row.getByText("1 of 9 recipients").waitFor();
  await done(`/${id}/start`, {});
  await row.getByText("Finished", { exact: true }).waitFor();
  await row.getByText("9 of 9 recipients").waitFor();
  await page.getByRole("link", { name: "Pengingat" }).click();
  await page.getByRole("heading", { level: 1, name: "Pengingat" }).waitFor();
  await campaigns.shows("Sent", 5);
  await campaigns.shows("Failed", 3);
  await campaigns.shows("Skipped", 1);
  const reasons = page.getByRole("table", { name: "Failures by reason" });
  await reasons.getByRole("row", { name: /1001 · Recipient is not registered\s*2/ }).waitFor();
  await reasons.getByRole("row", { name: /500 · Sending failed\s*1/ }).waitFor();
  expect(await barriers(page)).toEqual([]);
});

test("a campaign that somebody pauses says so at once, also on a phone in Indonesian", async () => {
  const slow = { pace: { per_minute: 1 } };
  const id = await campaign("Pelan", Array.from({ length: 5 }, freshNumber), slow);
  await done(`/${id}/start`, {});
  await visitor.goto(`/campaigns/${id}`);
  await page.getByText("Running", { exact: true }).waitFor();
  await done(`/${id}/pause`, {});
  await page.getByText("Somebody paused it.").waitFor();
  await page.evaluate(() => localStorage.setItem("merpati.language", "id"));
  await page.setViewportSize({ width: 390, height: 900 });
  for (const path of ["/campaigns", `/campaigns/${id}`]) {
    await visitor.goto(path);
    expect(await barriers(page), path).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide, path).toBeLessThanOrEqual(390);
    const folder = process.env["MERPATI_SCREENSHOTS"];
    const name = path.split("/").length;
    if (folder) await page.screenshot({ path: `${folder}/campaign-${name}.png`, fullPage: true });
  }
  await page.getByText("Dijeda atas permintaan.").waitFor();
});
