// Changes in the web app: irreversible ones ask for a name, and no change overwrites another's.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { openBrowser, soon, type Visitor } from "./support/browser.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber } from "./support/numbers.ts";
import { person, PersonClient, totpAt, type SomePerson } from "./support/people.ts";
import { fromRow, visit } from "./support/web_people.ts";

let gateway: Gateway;
let browser: Browser;
let admin: SomePerson;
let account: Account;
let device: string;
let visitor: Visitor;
let page: Page;

/** Runs in the page: delays its timers, as on a busy machine. */
function withLateTimers(): void {
  const usual = window.setTimeout;
  const late = (run: TimerHandler, ms = 0) => usual(run, ms + 100);
  window.setTimeout = late as typeof window.setTimeout;
}

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.create(), openBrowser()]);
  ({ account, device } = await shop(gateway, { credits: 100 }, { name: "laporan" }));
  admin = await person(gateway, "ani@toko.example", "--admin");
  visitor = await visit(browser, gateway, admin);
  await visitor.context.addInitScript(withLateTimers);
  page = visitor.page;
});
afterAll(async () => {
  expect(visitor.complaints).toEqual([]);
  await browser.close();
  await gateway.close();
});

/** Confirms a dialog, whose button must do nothing until exactly this name is typed. */
async function confirm(title: string, action: string, name: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: title });
  const button = dialog.getByRole("button", { name: action });
  const field = dialog.getByLabel(`Type ${name} to continue`);
  await field.fill(name.slice(0, -1));
  expect(await button.isDisabled(), title).toBe(true);
  await field.fill(name);
  await button.click();
}

test("who saves what another changed meanwhile is shown it, and overwrites nothing", async () => {
  await visitor.goto("/account");
  await page.getByLabel("Name", { exact: true }).fill("Toko saya");
  await gateway.json("account", "set", account.id, "--callback", "https://a.example.com/status");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Someone else changed this first.").waitFor();
  const callback = page.getByLabel("Callback address");
  await expect.poll(() => callback.inputValue()).toBe("https://a.example.com/status");
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("toko");
  await page.getByLabel("Name", { exact: true }).fill("Toko kami");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").waitFor();
  const stored = await gateway.json("account", "show", account.id);
  expect(stored).toMatchObject({ name: "Toko kami", callback: "https://a.example.com/status" });
});

test("the same for a device's pace, and for an account as its administrator edits it", async () => {
  await visitor.goto(`/devices/${device}`);
  await page.getByLabel("Gap between sends (seconds)").fill("3");
  await gateway.json("device", "set", device, "--per-day", "7");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Someone else changed this first.").waitFor();
  await expect.poll(() => page.getByLabel("Maximum per day").inputValue()).toBe("7");
  expect(await page.getByLabel("Gap between sends (seconds)").inputValue()).toBe("0");

  await visitor.goto("/accounts");
  await fromRow(page, /Toko kami/, "Edit the account");
  const dialog = page.getByRole("dialog", { name: "Edit the account: Toko kami" });
  await dialog.getByLabel("Request limit").fill("5/s");
  await gateway.json("account", "set", account.id, "--devices-max", "9");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Someone else changed this first.").waitFor();
  await expect.poll(() => dialog.getByLabel("Device limit").inputValue()).toBe("9");
  await dialog.getByLabel("Request limit").fill("5/s");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").waitFor();
  const stored = await gateway.json("account", "show", account.id);
  expect(stored).toMatchObject({ rate: "5/s", devices_max: 9 });
});

test("taking credit away needs the account's name", async () => {
  await visitor.goto("/accounts");
  await fromRow(page, /Toko kami/, "Top up");
  const dialog = page.getByRole("dialog", { name: "Top up: Toko kami" });
  const amount = dialog.getByLabel("Amount");
  // The dialog focuses it late; text that is typed at that moment would go into it.
  await amount.and(page.locator(":focus")).waitFor();
  await amount.fill("-40");
  await confirm("Top up: Toko kami", "Deduct credit", "Toko kami");
  await page.getByRole("row", { name: /Toko kami/ }).getByText("60").waitFor();
});

test("rotating secrets needs their owner's name", async () => {
  await visitor.goto("/account");
  await page.getByRole("button", { name: "Rotate the secret" }).click();
  await confirm("Rotate the secret", "Rotate the secret", "Toko kami");
  const secret = page.getByRole("dialog", { name: "Your new secret" });
  gateway.secrets.add(await secret.locator("code").innerText());
  await secret.getByRole("button", { name: "I have copied it" }).click();

  await visitor.goto("/keys");
  await fromRow(page, /laporan/, "Rotate");
  await confirm("Rotate the key", "Rotate", "laporan");
  const key = page.getByRole("dialog", { name: "Your new key" });
  gateway.secrets.add(await key.locator("code").innerText());
  await key.getByRole("button", { name: "I have copied it" }).click();
});

test("clearing a queue and removing a device need its number", async () => {
  const body = { to: freshNumber(), from: device, message: "Halo", Type: "text", delay: 3600 };
  await account.send(body);
  await visitor.goto(`/devices/${device}`);
  await page.getByRole("button", { name: "Clear the queue" }).click();
  await confirm("Clear the queue", "Clear the queue", device);
  await page.getByText("The queue was cleared").waitFor();
  await page.getByRole("button", { name: "Remove the device" }).click();
  await confirm("Remove the device", "Remove the device", device);
  await page.getByText("The device was removed").waitFor();
});

test("removing somebody's second factor, and somebody, needs the address", async () => {
  const flags = ["--account", account.id, "--role", "operator"];
  const made = await person(gateway, "budi@toko.example", ...flags);
  const browser = await PersonClient.signedIn(gateway, made);
  const begun = await browser.ask("POST", "/session/totp", { current: made.password });
  const { secret } = begun.json;
  gateway.secrets.add(secret);
  const code = totpAt(secret, Date.now());
  expect((await browser.ask("POST", "/session/totp/confirm", { code })).status).toBe(200);

  await visitor.goto("/people");
  const row = page.getByRole("row", { name: /budi@toko/ });
  await row.getByText("Yes").waitFor();
  await fromRow(page, /budi@toko/, "Turn two-step verification off");
  await confirm("Turn two-step verification off", "Turn two-step", "budi@toko.example");
  await row.getByText("No", { exact: true }).waitFor();
  expect((await new PersonClient(gateway).signIn(made)).status).toBe(200);

  await fromRow(page, /budi@toko/, "Delete");
  await confirm("Delete a person", "Delete", "budi@toko.example");
  await page.getByText("The person was removed").waitFor();
  await soon(() => row.count()).toBe(0);
});

test("dropping a queue while linking needs the number", async () => {
  const number = await account.device();
  const to = freshNumber();
  const body = { to, from: number, message: "Halo", Type: "text", delay: 3600 };
  expect((await account.send(body)).status).toBe(200);
  await gateway.json("device", "disconnect", number);
  await visitor.goto(`/devices/${number}`);
  await page.getByRole("button", { name: "Link", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Link ${number}` });
  await dialog.getByLabel("Cancel and refund the credit").check();
  const link = dialog.getByRole("button", { name: "Link", exact: true });
  expect(await link.isDisabled()).toBe(true);
  await dialog.getByLabel(`Type ${number} to continue`).fill(number);
  expect(await link.isDisabled()).toBe(false);
});
