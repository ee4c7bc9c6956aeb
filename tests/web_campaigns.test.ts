// Campaigns in the web app: a draft from its creation to the report of its end.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { barriers, soon, type Visitor } from "./support/browser.ts";
import { CampaignDesk } from "./support/campaign_desk.ts";
import type { CampaignPage } from "./support/campaign_page.ts";
import type { Campaigns } from "./support/campaigns.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, simulated } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

let desk: CampaignDesk;
let gateway: Gateway;
let visitor: Visitor;
let page: Page;
let campaigns: CampaignPage;
let others: Campaigns;

beforeAll(async () => {
  desk = await CampaignDesk.open();
  ({ gateway, visitor, page, campaigns, others } = desk);
});
afterAll(async () => {
  expect(visitor.complaints).toEqual([]);
  await desk.close();
});

test("an account without campaigns is told what they are", async () => {
  await visitor.goto("/campaigns");
  await page.getByText("No campaigns yet").waitFor();
  expect(await barriers(page)).toEqual([]);
});

describe("a draft", () => {
  const failing = simulated("991001");
  const good = Array.from({ length: 7 }, freshNumber);
  const csv = [
    "Nama;Nomor HP;Kota",
    ...good.map((number, place) => `Ani ${place};0${number.slice(2)};Solo`),
    `Gagal;+${failing.slice(0, 2)} ${failing.slice(2)};Solo`,
    `Ganda;${good[0]};Solo`,
    "Excel;6,28E+12;Solo",
    "Huruf;0812-ABC;Solo",
    "",
  ].join("\r\n");
  let id = "";

  test("is created, and gets an audience with faults in it", async () => {
    id = await campaigns.create("Promo November");
    await campaigns.upload(csv);
    await campaigns.shows("Added", 8);
    await campaigns.shows("No number", 2);
    await campaigns.shows("Duplicate", 1);
    await page.getByText("Columns: Nama, Nomor HP, Kota").waitFor();
    await campaigns.shows("Will get it", 8);
    const refused = page.getByRole("table", { name: "Rows that get nothing" });
    await refused.getByRole("row", { name: /6,28E\+12\s*Not a phone number/ }).waitFor();
    await refused.getByRole("row", { name: /In an earlier row already/ }).waitFor();
    const link = page.getByRole("link", { name: "Download these rows" });
    const lines = await campaigns.downloaded(() => link.click());
    expect(lines).toHaveLength(4);
    expect(lines.join()).toContain("0812-ABC");
    expect(await barriers(page)).toEqual([]);
  });

  test("takes pasted numbers, and says of a file that is none what it is", async () => {
    await page.getByText("Paste numbers", { exact: true }).click();
    const more = freshNumber();
    await campaigns.field("Numbers").fill(`${more}\n${good[1]}, 0812`);
    await campaigns.button("Add them").click();
    await campaigns.shows("Added", 1);
    await campaigns.shows("Will get it", 9);
    await page.getByText("CSV file", { exact: true }).first().click();
    await campaigns.upload("PK\u0003\u0004 not a table", "pelanggan.xlsx");
    await page.getByRole("alert").waitFor();
    await campaigns.shows("Will get it", 9);
  });

  test("is emptied, and filled again", async () => {
    await campaigns.button("Empty the audience").click();
    const dialog = page.getByRole("dialog", { name: "Empty the audience" });
    await dialog.getByRole("textbox").fill("Promo November");
    await dialog.getByRole("button", { name: "Empty the audience" }).click();
    await campaigns.shows("Will get it", 0);
    await campaigns.upload(csv);
    await campaigns.shows("Will get it", 8);
  });

  test("shows its text for real rows, with columns put in by a click", async () => {
    await page.getByRole("link", { name: "Next: Message" }).click();
    await campaigns.field("Text").fill("Halo ");
    await campaigns.button("Insert Nama").click();
    await campaigns.field("Text").press("End");
    await page.keyboard.type(" di {{Kota|sini}}. Berhenti: ");
    await campaigns.button("Insert optout_url").click();
    expect(await campaigns.field("Text").inputValue()).toBe(
      "Halo {{Nama}} di {{Kota|sini}}. Berhenti: {{optout_url}}",
    );
    await campaigns.saved();
    const phone = page.getByRole("region", { name: "Preview on the recipient's phone" });
    await phone.getByText(/Halo Ani 0 di Solo\. Berhenti: http/).waitFor();
    await campaigns.button("Next row").click();
    await phone.getByText(/Halo Ani 1 di Solo/).waitFor();
    await page.getByText(`Row 2 · ${good[1]}`).waitFor();
    await campaigns.field("Text").press("End");
    await page.keyboard.type(" {{Ktoa}}");
    await page.getByText("Unknown column").waitFor();
    for (let turn = 0; turn < " {{Ktoa}}".length; turn += 1) await page.keyboard.press("Backspace");
    await soon(() => page.getByText("Unknown column").count()).toBe(0);
    // Until the last change is stored, the preview is pale.
    await soon(async () => (await phone.innerText()).includes("{")).toBe(false);
    await soon(() => page.locator("[data-waits]").count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
  });

  test("has variants with weights", async () => {
    await campaigns.button("Add a variant").click();
    await campaigns.field("Variant 2").fill("Hai {{Nama}}, {{optout_url}}");
    await campaigns.field("Weight 1").fill("3");
    await campaigns.saved();
    const { variants, message } = await others.show(id);
    expect(message).toBeNull();
    expect(variants.map((one: { weight: number }) => one.weight)).toEqual([3, 1]);
    await campaigns.button("Remove variant 2").click();
    await campaigns.field("Text").waitFor();
    await campaigns.saved();
    expect((await others.show(id)).message).toContain("Halo {{Nama}}");
  });

  test("survives a reload, and what another person changes meanwhile", async () => {
    await campaigns.step("Sending");
    await campaigns.field("Consent").fill("Formulir");
    await page.reload(); // Before the pause after which it is saved.
    await page.getByRole("heading", { level: 2, name: "Sending" }).waitFor();
    expect(await campaigns.field("Consent").inputValue()).toBe("Formulir");
    await campaigns.saved();
    expect((await others.show(id)).consent).toBe("Formulir");

    await others.done("PATCH", `/${id}`, { pace: { per_minute: 60 } });
    await campaigns.field("Consent").fill("Formulir di toko");
    await campaigns.saved();
    expect(await others.show(id)).toMatchObject({
      consent: "Formulir di toko",
      pace: { per_minute: 60 },
    });

    await others.done("PATCH", `/${id}`, { consent: "Lewat telepon" });
    await campaigns.field("Consent").fill("Formulir di kasir");
    await page.getByText("Someone else has changed this too: consent.").waitFor();
    expect(await campaigns.field("Consent").inputValue()).toBe("Formulir di kasir");
    expect((await others.show(id)).consent).toBe("Lewat telepon");
    expect(await barriers(page)).toEqual([]);
    await campaigns.button("Use mine").click();
    await campaigns.saved();
    expect((await others.show(id)).consent).toBe("Formulir di kasir");
  });

  test("says what keeps it from starting, and where that is mended", async () => {
    await campaigns.field("Consent").fill("");
    await campaigns.saved();
    await campaigns.step("Review");
    await page.getByText("Consent is missing").waitFor();
    expect(await campaigns.button("Start now").isDisabled()).toBe(true);
    await page.getByRole("link", { name: "Mend it in Sending" }).click();
    await campaigns.field("Consent").fill("Formulir di kasir");
    await page.getByRole("switch", { name: "Send nothing in quiet hours" }).click();
    await campaigns.saved();
    await campaigns.step("Review");
    await page.getByText("Ready to start.").waitFor();
    await campaigns.shows("Recipients", 8);
    const omitted = { "Not a phone number": "2", "In an earlier row already": "1" };
    for (const [why, rows] of Object.entries(omitted)) {
      await page.locator(`dt:text-is("${why}") + dd:text-is("${rows}")`).waitFor();
    }
    await campaigns.shows("Credit", 8);
    await page.getByText("of 1,000").waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  test("is tried with a test", async () => {
    const own = freshNumber();
    await campaigns.field("To").fill(own);
    await campaigns.button("Send a test to 1 number").click();
    const result = page.getByRole("listitem").filter({ hasText: `+${own}` });
    await result.getByText("Sent", { exact: true }).waitFor();
    expect(gateway.simulator.to(own)[0]?.body).toContain("Halo Ani 0 di Solo");
  });

  test("is started, paused, resumed, and ends with exact counts", async () => {
    await campaigns.button("Start now").click();
    const dialog = page.getByRole("dialog", { name: "Start the campaign" });
    await dialog.getByText("8 people get a message.").waitFor();
    await dialog.getByRole("button", { name: "Start now" }).click();
    await page.getByText("Running", { exact: true }).waitFor();
    await campaigns.button("Pause").click();
    await page.getByText("Somebody paused it.").waitFor();
    await campaigns.setPace("");
    await campaigns.button("Resume").click();
    await page.getByText("Finished", { exact: true }).waitFor();
    await page.getByText("11 of 11 recipients").waitFor();
    await campaigns.shows("Sent", 7);
    await campaigns.shows("Failed", 1);
    await campaigns.shows("Skipped", 3);
    for (const number of good) expect(gateway.simulator.to(number)).toHaveLength(1);
    const reasons = page.getByRole("table", { name: "Failures by reason" });
    await reasons.getByRole("row", { name: /1001 · Recipient is not registered/ }).waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  test("is reported, as CSV and as lines of JSON", async () => {
    const csvLines = await campaigns.report("All recipients");
    expect(csvLines[0]).toBe(
      "row,number,original,state,reason,Nama,Nomor HP,Kota,variant,device,message,code,at",
    );
    expect(csvLines).toHaveLength(12);
    const rows = (await campaigns.report("All, as lines of JSON")).map((line) => JSON.parse(line));
    expect(rows.filter((row) => row.state === "sent")).toHaveLength(7);
    expect(await campaigns.report("Only those that failed")).toHaveLength(2);
  });

  test("that has ended is tried again, copied and deleted", async () => {
    await campaigns.further("Try failed ones again");
    await page.getByText("Paused", { exact: true }).waitFor();
    await campaigns.button("Resume").click();
    await page.getByText("Finished", { exact: true }).waitFor();
    expect(gateway.simulator.to(failing)).toHaveLength(2);
    await campaigns.further("Copy with its recipients");
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page.getByRole("heading", { level: 2, name: "Audience" }).waitFor();
    await campaigns.further("Delete the campaign");
    const dialog = page.getByRole("dialog", { name: "Delete the campaign" });
    const copy = await page.getByRole("heading", { level: 1 }).innerText();
    await dialog.getByRole("textbox").fill(copy);
    await dialog.getByRole("button", { name: "Delete the campaign" }).click();
    await page.getByRole("heading", { level: 1, name: "Campaigns" }).waitFor();
    await soon(() => page.getByRole("row", { name: /Promo November/ }).count()).toBe(1);
  });

  test("waits for its time, and can be a draft again", async () => {
    const other = await desk.draft("Besok", [freshNumber()]);
    await visitor.goto(`/campaigns/${other}?step=review`);
    await page.getByText("Later", { exact: true }).click();
    await campaigns.field("Start at").fill("31/12/2098");
    await campaigns.field("Start at").press("Enter");
    await campaigns.saved();
    await campaigns.start("Schedule");
    await page.getByText("Scheduled", { exact: true }).waitFor();
    await campaigns.further("Make it a draft again");
    await page.getByRole("navigation", { name: "Steps" }).waitFor();
  });

  test("takes a large file piece by piece, and nothing of one that is stopped", async () => {
    const large = await campaigns.create("Besar");
    const many = Array.from({ length: 400_000 }, (_, row) => `Ani;62812${1_000_000 + row};Solo`);
    await campaigns.upload(["Nama;Nomor;Kota", ...many].join("\n"), "besar.csv");
    await page.getByText(/^besar\.csv · /).waitFor();
    await campaigns.step("Message"); // It goes on meanwhile.
    await campaigns.step("Audience");
    await campaigns.button("Stop").click();
    await page.getByText("The upload was stopped; nothing was added.").waitFor();
    await page.reload();
    await campaigns.shows("Rows", 0);
    // Removing what had arrived takes a while; then the account uploads again.
    const more = { numbers: [good[0]] };
    const again = () => others.ask("POST", `/${large}/recipients`, more);
    await waitFor("the next upload", async () => (await again()).status === 200, 120_000);
    expect((await others.show(large)).counts.total).toBe(1);
  });
});
