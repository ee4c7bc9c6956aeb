// A campaign of 10,000 rows with every fault in them, prepared and steered in the browser. The
// gateway is killed while it is paused, and again while it runs; the counts at its end are exact,
// and nobody got the message twice.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Account } from "./support/account.ts";
import { soon } from "./support/browser.ts";
import { CampaignDesk } from "./support/campaign_desk.ts";
import type { CampaignPage } from "./support/campaign_page.ts";
import type { Campaigns } from "./support/campaigns.ts";
import { call, keyWith } from "./support/catalogue.ts";
import { faultyList } from "./support/faulty_list.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });

const ROWS = 10_000;
const TEXT = "Halo {{Nama|Kak}} di {{Kota}}.";
const LONG = 300_000; // Milliseconds for thousands of messages on a busy machine.

let desk: CampaignDesk;
let gateway: Gateway;
let account: Account;
let page: Page;
let campaigns: CampaignPage;
let others: Campaigns;

beforeAll(async () => {
  const settings = { "simulator.dedupe": true, "scheduler.window": 8, "log.level": "warn" };
  desk = await CampaignDesk.open({ credits: 20_000, settings });
  ({ gateway, account, page, campaigns, others } = desk);
});
afterAll(() => desk.close());

async function suppress(numbers: string[]): Promise<void> {
  const by = {
    key: await keyWith(account, ["campaigns:manage"]),
    headers: { "content-type": "text/csv" },
  };
  const row = { method: "POST", path: "/v1/suppressions/import" };
  const answer = await call(gateway, row, by, numbers.join("\n"));
  expect(answer.status, answer.text).toBe(200);
}

async function killAndStart(): Promise<void> {
  await gateway.kill();
  await gateway.start();
}

const number = (value: number) => value.toLocaleString("en-GB");

describe("10,000 rows with every fault", () => {
  const list = faultyList(ROWS);
  const failed = [...list.refused.values()].reduce((sum, count) => sum + count, 0);
  const skippedFirst = list.invalid + list.duplicate + list.suppressed;
  const skipped = skippedFirst + list.withoutValue;
  const own = freshNumber();
  let id = "";
  let paused: { total: number; sent: number };
  const counts = async () => (await others.show(id)).counts;

  test("are uploaded, and each refused one is counted", async () => {
    expect(list.reached.length + failed + skipped).toBe(ROWS);
    await suppress(list.toSuppress);

    id = await campaigns.create("Sepuluh ribu", "Transactional");
    await campaigns.upload(list.csv);
    await campaigns.shows("Added", ROWS - skippedFirst, LONG);
    await campaigns.shows("No number", list.invalid, LONG);
    await campaigns.shows("Duplicate", list.duplicate, LONG);
    await campaigns.shows("Must not be reached", list.suppressed, LONG);
  });

  test("are previewed one by one", async () => {
    await page.getByRole("link", { name: "Next: Message" }).click();
    await campaigns.field("Text").fill(TEXT);
    await campaigns.saved();
    const phone = page.getByRole("region", { name: "Preview on the recipient's phone" });
    await phone.getByText("Halo Ani 0 di Solo.").waitFor();
    const others = ['Siti "Ayu"; 1 di Yogya.', "2 di Kota; Tua.", "André 3 di {Bogor}."];
    for (const text of others) {
      await campaigns.button("Next row").click();
      await phone.getByText(text).waitFor();
    }
  });

  test("are checked, and the message is tried", async () => {
    await page.getByRole("link", { name: "Next: Sending" }).click();
    await campaigns.field("At most a minute").fill("1500");
    await campaigns.saved();
    await page.getByRole("link", { name: "Next: Review" }).click();
    await page.getByText("Ready to start.").waitFor({ timeout: LONG });
    await campaigns.shows("Recipients", ROWS - skipped, LONG);
    await page.getByText(`Values are empty (${number(list.withoutValue)})`).waitFor();
    await page.getByText(`Numbers of another country (${number(list.foreign)})`).waitFor();

    await campaigns.field("To").fill(own);
    await campaigns.button("Send a test to 1 number").click();
    await page.getByRole("listitem").filter({ hasText: `+${own}` }).getByText("Sent").waitFor();
    expect(gateway.simulator.to(own).map(({ body }) => body)).toEqual(["Halo Ani 0 di Solo."]);
  });

  test("stay as they are when the gateway is killed under a paused campaign", async () => {
    await campaigns.start();
    await page.getByText("Running", { exact: true }).waitFor();
    await waitFor("the first messages", async () => (await counts()).sent > 100, LONG);
    await campaigns.button("Pause").click();
    await page.getByText("Somebody paused it.").waitFor();

    const back = async () => (await counts()).queued === 0;
    await waitFor("queued messages to be back", back, LONG);
    paused = await counts();
    expect(paused.total).toBe(ROWS);
    await killAndStart();
    expect(await counts()).toEqual(paused);
    await campaigns.shows("Sent", paused.sent, LONG);
    await soon(() => page.getByText("Live", { exact: true }).count()).toBe(1);
  });

  test("are finished after it was killed in the middle of sends", async () => {
    await campaigns.setPace("6000");
    await campaigns.button("Resume").click();
    await page.getByText("Running", { exact: true }).waitFor();
    await waitFor("further messages", async () => (await counts()).sent > paused.sent + 500, LONG);
    await killAndStart(); // In the middle of sends.
    await soon(() => page.getByText("Live", { exact: true }).count()).toBe(1);
    await campaigns.setPace("");
    await page.getByText("Finished", { exact: true }).waitFor({ timeout: LONG });
    await page.getByText(`${number(ROWS)} of ${number(ROWS)} recipients`).waitFor();
  });

  test("end with exact counts, and nobody was reached twice", async () => {
    await campaigns.shows("Sent", list.reached.length, LONG);
    await campaigns.shows("Failed", failed, LONG);
    await campaigns.shows("Skipped", skipped, LONG);
    expect(await page.locator("dl").getByText("Uncertain").count()).toBe(0);

    expect(await counts()).toMatchObject({
      total: ROWS,
      pending: 0,
      queued: 0,
      sent: list.reached.length,
      failed,
      skipped,
      uncertain: 0,
      cancelled: 0,
    });
    const reasons = page.getByRole("table", { name: "Failures by reason" });
    for (const [code, people] of list.refused) {
      const name = new RegExp(`${code} · .*\\s${people}\\s`);
      await reasons.getByRole("row", { name }).waitFor();
    }
    expectEachReachedOnce(list.reached, own);
    const { credit } = await gateway.json("account", "show", account.id);
    expect(credit).toBe(20_000 - list.reached.length - 1); // Only what was sent is charged.
  });

  test("are all in the report", async () => {
    const lines = await campaigns.report("All, as lines of JSON");
    const rows = lines.map((line) => JSON.parse(line));
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: ROWS }, (_, at) => at + 1));
    expect(rows.filter(({ state }) => state === "sent")).toHaveLength(list.reached.length);
  });
});

function expectEachReachedOnce(reached: string[], own: string): void {
  const sends = new Map<string, number>();
  for (const { to, result } of gateway.simulator.all()) {
    if (result === "sent" && to !== own) sends.set(to, (sends.get(to) ?? 0) + 1);
  }
  expect([...sends.values()].filter((count) => count > 1)).toEqual([]);
  expect([...sends.keys()].sort()).toEqual([...reached].sort());
}
