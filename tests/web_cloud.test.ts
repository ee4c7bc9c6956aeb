// Numbers of the official platform in the web app: adding and registering them, their tokens and
// templates, and a campaign that sends one.
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BusinessNumber } from "./graph/number.ts";
import { openBrowser, soon, type Visitor } from "./support/browser.ts";
import { CampaignPage } from "./support/campaign_page.ts";
import { Campaigns } from "./support/campaigns.ts";
import { Cloud } from "./support/cloud.ts";
import { freshNumber } from "./support/numbers.ts";
import { person } from "./support/people.ts";
import { visit } from "./support/web_people.ts";

const STEP_MAX = 30_000; // A step that hangs is named, long before its test ends.

let cloud: Cloud;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [cloud, browser] = await Promise.all([Cloud.open(), openBrowser()]);
  const flags = ["--account", cloud.account.id, "--role", "owner"];
  const owner = await person(cloud.gateway, "ani@toko.example", ...flags);
  visitor = await visit(browser, cloud.gateway, owner);
  page = visitor.page;
  page.setDefaultTimeout(STEP_MAX);
});
afterAll(async () => {
  expect(visitor.complaints).toEqual([]);
  await browser.close();
  await cloud.close();
});

const drawer = (number: BusinessNumber) =>
  page.getByRole("dialog", { name: number.digits, exact: true });
const dialog = (name: string) => page.getByRole("dialog", { name, exact: true });
const button = (within: Locator | Page, name: string) =>
  within.getByRole("button", { name, exact: true });

test("a number is added with its ids and token, which the platform checks", async () => {
  const number = cloud.graph.addNumber({ number: freshNumber() });
  cloud.gateway.secrets.add(number.token);
  await visitor.goto("/devices");
  await button(page, "Add a device").click();
  const form = dialog("Add a device");
  await form.getByLabel("Official business account").check();
  await form.getByText("The platform charges for it").waitFor();
  await form.getByRole("textbox", { name: "Number", exact: true }).fill(number.digits);
  await form.getByLabel("Phone number ID").fill(number.id);
  await form.getByLabel("Token").fill("EAAGsalah");
  await form.getByLabel("Business account ID (WABA)").fill(number.waba);
  await button(form, "Add").click();
  await form.getByText("the platform refuses it").waitFor();
  await form.getByLabel("Token").fill(number.token);
  await button(form, "Add").click();
  await drawer(number).getByText("On the official platform").waitFor();
  await drawer(number).getByText("Connected", { exact: true }).first().waitFor();
  expect(await page.content()).not.toContain(number.token);
});

/** A number that the platform no longer has registered, in the window that registers it. */
async function unregistered(made: { pin?: string }): Promise<[BusinessNumber, Locator]> {
  const number = await cloud.connect(made);
  number.registered = false;
  number.verified = made.pin !== undefined; // Without a PIN it is a code that proves whose it is.
  await cloud.send(undefined, number);
  await cloud.untilDevice(number, "disconnected");
  await visitor.goto(`/devices/${number.digits}`);
  await button(drawer(number), "Register").click();
  const window = dialog(`Register ${number.digits}`);
  await window.getByLabel("Send after linking").check();
  await button(window, "Link").click();
  return [number, window];
}

/** Sends the answer to the step that asks for it. */
async function answer(window: Locator, step: string, text: string): Promise<void> {
  await window.getByText(step).first().waitFor();
  await window.getByLabel("PIN or code").fill(text);
  await button(window, "Send the answer").click();
}

const PIN_STEP = "The number's PIN of six digits";
const CODE_STEP = "The code of six digits that the platform has sent";

test("a number is registered by its PIN, and what waited is sent", async () => {
  const [number, window] = await unregistered({ pin: "123456" });
  await answer(window, PIN_STEP, "000000");
  await window.getByText("That answer was not accepted").waitFor();
  await answer(window, PIN_STEP, "123456");
  await window.getByText("Linked", { exact: true }).waitFor();
  expect(number.registered).toBe(true);
  await button(window, "Close").last().click();
});

test("a number is registered by a code, and then a PIN", async () => {
  const [number, window] = await unregistered({});
  await window.getByText("Code by SMS", { exact: true }).click();
  await window.getByText(CODE_STEP).first().waitFor();
  await soon(() => number.code).not.toBe("");
  await answer(window, CODE_STEP, number.code);
  await answer(window, PIN_STEP, "654321");
  await window.getByText("Linked", { exact: true }).waitFor();
  expect(number.pin).toBe("654321");
  await button(window, "Close").last().click();
});

test("a token that has ended is replaced by one that the platform accepts", async () => {
  const number = await cloud.connect();
  number.tokenSubcode = 463;
  await cloud.send(undefined, number);
  await cloud.untilDevice(number, "disconnected");
  await visitor.goto(`/devices/${number.digits}`);
  await button(drawer(number), "Replace the token").click();
  const form = dialog(`Access of ${number.digits}`);
  await form.getByLabel("Token").fill("EAAGsalah");
  await button(form, "Check and save").click();
  await form.getByText("the platform refuses it").waitFor();
  number.token = "EAAGtokenbaru456";
  number.tokenSubcode = undefined;
  cloud.gateway.secrets.add(number.token);
  await form.getByLabel("Token").fill(number.token);
  await button(form, "Check and save").click();
  await form.waitFor({ state: "hidden" });
  await drawer(number).getByText("Connected", { exact: true }).first().waitFor();
});

/** Adds templates to the business account of a number. */
function addTemplates(number: BusinessNumber): void {
  const add = (name: string, body: string, status = "APPROVED") =>
    cloud.graph.templates.add(number.waba, { name, language: "id", body, status });
  add("kabar", "Kabar dari toko: {{1}}");
  add("promo", "Halo {{1}}, diskon {{2}} bulan ini.");
  add("lama", "Halo {{1}}.", "PAUSED");
}

test("one of the templates is chosen to stand in for texts, and no longer", async () => {
  const number = await cloud.connect();
  addTemplates(number);
  await visitor.goto(`/devices/${number.digits}`);
  await button(drawer(number), "Templates").click();
  const list = dialog(`Templates of ${number.digits}`);
  const row = (name: string) => list.getByRole("row").filter({ hasText: name });
  await row("lama").getByText("Paused by the platform").waitFor();
  expect(await button(row("lama"), "Use this one").count()).toBe(0);
  expect(await button(row("promo"), "Use this one").count()).toBe(0);
  await button(row("kabar"), "Use this one").click();
  await button(row("kabar"), "Do not use it").waitFor();
  expect((await cloud.device(number)).fallback_template).toBe("kabar:id");
  await button(row("kabar"), "Do not use it").click();
  await button(row("kabar"), "Use this one").waitFor();
  expect((await cloud.device(number)).fallback_template).toBeNull();
});

test("a template's header, file and buttons are filled too", async () => {
  const number = await cloud.connect();
  const buttons = [
    { type: "URL", url: "https://toko.example/{{1}}" },
    { type: "COPY_CODE" },
  ] as const;
  const common = { language: "id", body: "Halo {{1}}." };
  const undangan = { ...common, name: "undangan", header: "Untuk {{1}}", buttons: [...buttons] };
  cloud.graph.templates.add(number.waba, undangan);
  cloud.graph.templates.add(number.waba, { ...common, name: "brosur", file: "DOCUMENT" });
  const campaigns = new CampaignPage(visitor);
  const plan = { name: "Undangan", purpose: "transactional", devices: [number.digits] };
  const others = await Campaigns.of(cloud.account);
  const { id } = await others.done("POST", "", plan);
  await visitor.goto(`/campaigns/${id}`);
  await campaigns.upload(`nomor,nama\n${freshNumber()},Budi`);
  await soon(async () => (await others.done("GET", `/${id}`)).counts.total).toBe(1);
  await campaigns.step("Message");
  await page.getByText("Template of the platform", { exact: true }).click();
  const choose = async (name: string) => {
    await page.getByRole("combobox", { name: "Template", exact: true }).click();
    await page.getByRole("option", { name }).click();
  };
  await choose("undangan (id)");
  await campaigns.field("Variable {{1}}").fill("{{nama}}");
  await campaigns.field("Variable of the header").fill("Pak {{nama}}");
  await campaigns.field("Variable of the button https://toko.example/{{1}}").fill("u/7");
  await campaigns.field("Variable or coupon of button 2").fill("HEMAT20");
  await campaigns.saved();
  expect((await others.done("GET", `/${id}`)).template).toEqual({
    name: "undangan",
    language: "id",
    variables: ["{{nama}}"],
    header: "Pak {{nama}}",
    buttons: ["u/7", "HEMAT20"],
  });
  await page.getByText("Untuk Pak Budi").waitFor();
  await page.getByText("https://toko.example/u/7").waitFor();
  await choose("brosur (id)");
  await page.getByText("its header needs a file: give the campaign media").waitFor();
  await campaigns.saved();
  const { template } = await others.done("GET", `/${id}`);
  expect(template).toMatchObject({ variables: ["{{nama}}"], header: null, buttons: [] });
});

test("a campaign sends a template: chosen, filled, previewed, checked and followed", async () => {
  const number = await cloud.connect();
  addTemplates(number);
  number.windowClosed = "answer";
  const to = freshNumber();
  const campaigns = new CampaignPage(visitor);
  const plan = { name: "Promo templat", purpose: "transactional", devices: [number.digits] };
  const others = await Campaigns.of(cloud.account);
  const { id } = await others.done("POST", "", plan);
  await visitor.goto(`/campaigns/${id}`);
  await campaigns.upload(`nomor,nama\n${to},Budi`);
  await soon(async () => (await others.done("GET", `/${id}`)).counts.total).toBe(1);
  await campaigns.step("Message");
  await page.getByText("Template of the platform", { exact: true }).click();
  await page.getByRole("combobox", { name: "Template", exact: true }).click();
  expect(await page.getByRole("option", { name: "lama (id)" }).count()).toBe(0);
  await page.getByRole("option", { name: "promo (id)" }).click();
  await page.getByText("Halo {{1}}, diskon {{2}} bulan ini.").waitFor();
  await campaigns.field("Variable {{1}}").click();
  await button(page, "Insert nama").click();
  await soon(() => campaigns.field("Variable {{1}}").inputValue()).toBe("{{nama}}");
  await page.getByText("variable 2 of the template is empty").waitFor();
  await campaigns.field("Variable {{2}}").fill("50%");
  await campaigns.saved();
  await page.getByText("Halo Budi, diskon 50% bulan ini.").waitFor();
  await campaigns.step("Review");
  await page.getByText("Ready to start.").waitFor();
  await campaigns.start();
  await campaigns.shows("Sent", 1);
  await page.getByText("promo (id)").waitFor();
  expect(cloud.graph.to(to).map(({ text }) => text)).toEqual(["Halo Budi, diskon 50% bulan ini."]);
});
