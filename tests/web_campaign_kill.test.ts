// A campaign of 10,000 rows with every fault in them, prepared and steered in the browser. The
// gateway is killed while it is paused, and again while it runs; the counts at its end are exact,
// and nobody got the message twice.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Browser, Page } from "playwright-core";
import { type Account, shop } from "./support/account.ts";
import { openBrowser, soon, type Visitor } from "./support/browser.ts";
import { call, keyWith } from "./support/catalogue.ts";
import { faultyList } from "./support/faulty_list.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber } from "./support/numbers.ts";
import { person } from "./support/people.ts";
import { waitFor } from "./support/wait.ts";
import { visit } from "./support/web_people.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });

const ROWS = 10_000;
const TEXT = "Halo {{Nama|Kak}} di {{Kota}}.";
const LONG = 300_000; // Milliseconds for thousands of messages on a busy machine.

let gateway: Gateway;
let browser: Browser;
let account: Account;
let key: string;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  const settings = { "simulator.dedupe": true, "scheduler.window": 8, "log.level": "warn" };
  [gateway, browser] = await Promise.all([Gateway.create({ settings }), openBrowser()]);
  ({ account } = await shop(gateway, { credits: 20_000 }));
  key = await keyWith(account, ["campaigns:read", "campaigns:manage"]);
  const flags = ["--account", account.id, "--role", "operator"];
  visitor = await visit(browser, gateway, await person(gateway, "kasir@toko.example", ...flags));
  page = visitor.page;
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
});

const button = (name: string) => page.getByRole("button", { name, exact: true });
const field = (name: string) => page.getByLabel(name, { exact: true });
const number = (value: number) => value.toLocaleString("en-GB");

/** Waits until a figure of the page has this value. */
async function shows(name: string, value: number): Promise<void> {
  const title = page.getByText(name, { exact: true });
  const figure = page.locator("dl > div").filter({ has: title }).locator("dd");
  const shown = figure.getByText(number(value), { exact: true }).first();
  await shown.waitFor({ timeout: LONG });
}

async function ask(method: string, path: string, body?: unknown, type = "application/json") {
  const headers = { "content-type": type };
  const answer = await call(gateway, { method, path: `/v1${path}` }, { key, headers }, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as any;
}

async function killAndStart(): Promise<void> {
  await gateway.kill();
  await gateway.start();
}

async function setPace(perMinute: string): Promise<void> {
  await button("Pace and devices").click();
  const dialog = page.getByRole("dialog", { name: "Pace and devices" });
  await dialog.getByLabel("At most a minute").fill(perMinute);
  await dialog.getByRole("button", { name: "Change", exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
}

test("10,000 rows with every fault survive two kills, and nobody is reached twice", async () => {
  const list = faultyList(ROWS);
  const failed = [...list.refused.values()].reduce((sum, count) => sum + count, 0);
  const skippedFirst = list.invalid + list.duplicate + list.suppressed;
  const skipped = skippedFirst + list.withoutValue;
  expect(list.reached.length + failed + skipped).toBe(ROWS);
  await ask("POST", "/suppressions/import", list.toSuppress.join("\n"), "text/csv");

  await visitor.goto("/campaigns");
  await button("Create a campaign").first().click();
  const dialog = page.getByRole("dialog", { name: "Create a campaign" });
  await dialog.getByLabel("Name", { exact: true }).fill("Sepuluh ribu");
  await dialog.getByText("Transactional").click();
  await dialog.getByRole("button", { name: "Create a campaign" }).click();
  await page.getByRole("heading", { level: 1, name: "Sepuluh ribu" }).waitFor();
  const id = page.url().split("/").at(-1) as string;

  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "pelanggan.csv", mimeType: "text/csv", buffer: list.csv });
  await button("Upload").click();
  await shows("Added", ROWS - skippedFirst);
  await shows("No number", list.invalid);
  await shows("Duplicate", list.duplicate);
  await shows("Must not be reached", list.suppressed);

  await page.getByRole("link", { name: "Next: Message" }).click();
  await field("Text").fill(TEXT);
  await page.getByText("All is saved").waitFor();
  const phone = page.getByRole("region", { name: "Preview on the recipient's phone" });
  await phone.getByText("Halo Ani 0 di Solo.").waitFor();
  const others = ['Siti "Ayu"; 1 di Yogya.', "2 di Kota; Tua.", "André 3 di {Bogor}."];
  for (const text of others) {
    await button("Next row").click();
    await phone.getByText(text).waitFor();
  }
  await page.getByRole("link", { name: "Next: Sending" }).click();
  await field("At most a minute").fill("1500");
  await page.getByText("All is saved").waitFor();
  await page.getByRole("link", { name: "Next: Review" }).click();
  await page.getByText("Ready to start.").waitFor({ timeout: LONG });
  await shows("Recipients", ROWS - skipped);
  await page.getByText(`Values are empty (${number(list.withoutValue)})`).waitFor();
  await page.getByText(`Numbers of another country (${number(list.foreign)})`).waitFor();

  const own = freshNumber();
  await field("To").fill(own);
  await button("Send a test to 1 number").click();
  await page.getByRole("listitem").filter({ hasText: `+${own}` }).getByText("Sent").waitFor();
  expect(gateway.simulator.to(own).map(({ body }) => body)).toEqual(["Halo Ani 0 di Solo."]);

  await button("Start now").click();
  const starting = page.getByRole("dialog", { name: "Start the campaign" });
  await starting.getByRole("button", { name: "Start now" }).click();
  await page.getByText("Running", { exact: true }).waitFor();
  const sent = async () => (await ask("GET", `/campaigns/${id}`)).counts.sent as number;
  await waitFor("the first messages", async () => (await sent()) > 100, LONG);
  await button("Pause").click();
  await page.getByText("Somebody paused it.").waitFor();

  const paused = await waitFor("queued messages to be back", async () => {
    const { counts } = await ask("GET", `/campaigns/${id}`);
    return counts.queued === 0 && counts;
  });
  expect(paused.total).toBe(ROWS);
  await killAndStart();
  expect((await ask("GET", `/campaigns/${id}`)).counts).toEqual(paused);
  await shows("Sent", paused.sent);
  await soon(() => page.getByText("Live", { exact: true }).count()).toBe(1);

  await setPace("6000");
  await button("Resume").click();
  await page.getByText("Running", { exact: true }).waitFor();
  await waitFor("further messages", async () => (await sent()) > paused.sent + 500, LONG);
  await killAndStart(); // In the middle of sends.
  await soon(() => page.getByText("Live", { exact: true }).count()).toBe(1);
  await setPace("");
  await page.getByText("Finished", { exact: true }).waitFor({ timeout: LONG });
  await page.getByText(`${number(ROWS)} of ${number(ROWS)} recipients`).waitFor();
  await shows("Sent", list.reached.length);
  await shows("Failed", failed);
  await shows("Skipped", skipped);
  expect(await page.locator("dl").getByText("Uncertain").count()).toBe(0);

  const { counts } = await ask("GET", `/campaigns/${id}`);
  expect(counts).toMatchObject({
    total: ROWS,
    pending: 0,
    queued: 0,
    sent: list.reached.length,
    failed,
    skipped,
    uncertain: 0,
    cancelled: 0,
  });
  for (const [code, people] of list.refused) {
    const reasons = page.getByRole("table", { name: "Failures by reason" });
    await reasons.getByRole("row", { name: new RegExp(`${code} · .*\\s${people}\\s`) }).waitFor();
  }
  expectEachReachedOnce(list.reached, own);
  const { credit } = await gateway.json("account", "show", account.id);
  expect(credit).toBe(20_000 - list.reached.length - 1); // Only what was sent is charged.

  const loading = page.waitForEvent("download");
  await button("Download the report").click();
  await page.getByRole("menuitem", { name: "All, as lines of JSON" }).click();
  const rows = await linesOf(await loading);
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: ROWS }, (_, place) => place + 1));
  expect(rows.filter(({ state }) => state === "sent")).toHaveLength(list.reached.length);
});

function expectEachReachedOnce(reached: string[], own: string): void {
  const sends = new Map<string, number>();
  for (const { to, result } of gateway.simulator.all()) {
    if (result === "sent" && to !== own) sends.set(to, (sends.get(to) ?? 0) + 1);
  }
  expect([...sends.values()].filter((count) => count > 1)).toEqual([]);
  expect([...sends.keys()].sort()).toEqual([...reached].sort());
}

async function linesOf(download: {
  createReadStream: () => Promise<AsyncIterable<unknown>>;
}): Promise<any[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  const lines = Buffer.concat(chunks).toString().trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}
