// Campaigns in the web app that others start and pause: they are followed without a reload.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers, type Visitor } from "./support/browser.ts";
import { CampaignDesk } from "./support/campaign_desk.ts";
import type { CampaignPage } from "./support/campaign_page.ts";
import type { Campaigns } from "./support/campaigns.ts";
import { freshNumber, simulated } from "./support/numbers.ts";

let desk: CampaignDesk;
let visitor: Visitor;
let page: Page;
let campaigns: CampaignPage;
let others: Campaigns;

beforeAll(async () => {
  desk = await CampaignDesk.open();
  ({ visitor, page, campaigns, others } = desk);
});
afterAll(async () => {
  expect(visitor.complaints).toEqual([]);
  await desk.close();
});

test("a campaign is followed to its end without a reload, by events", async () => {
  const failing = [simulated("991001"), simulated("991001"), simulated("995002")];
  const to = [...failing, ...Array.from({ length: 5 }, freshNumber), "08"];
  const id = await desk.draft("Pengingat", to);
  await visitor.goto("/campaigns");
  const row = page.getByRole("row", { name: /Pengingat/ });
  await row.getByText("Draft", { exact: true }).waitFor();
  await row.getByText("1 of 9 recipients").waitFor();
  await others.act(id, "start");
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
  const id = await desk.draft("Pelan", Array.from({ length: 5 }, freshNumber), slow);
  await others.act(id, "start");
  await visitor.goto(`/campaigns/${id}`);
  await page.getByText("Running", { exact: true }).waitFor();
  await others.act(id, "pause");
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
