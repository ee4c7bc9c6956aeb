// Forms of the web app: dates and numbers as people type them, and what is wrong at its field.
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { openBrowser, soon, type Visitor } from "./support/browser.ts";
import { Gateway } from "./support/gateway.ts";
import { person } from "./support/people.ts";
import { fromRow, visit } from "./support/web_people.ts";

let gateway: Gateway;
let browser: Browser;
let account: Account;
let device: string;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.create(), openBrowser()]);
  ({ account, device } = await shop(gateway, { expires: "2027-06-30T16:59:59Z" }));
  const admin = await person(gateway, "ani@toko.example", "--admin");
  visitor = await visit(browser, gateway, admin);
  page = visitor.page;
});
afterAll(async () => {
  expect(visitor.complaints).toEqual([]);
  await browser.close();
  await gateway.close();
});

/** The message at a field, as the browser shows it. */
const fault = (label: string) =>
  page
    .getByLabel(label)
    .first()
    .evaluate((one) => (one as HTMLInputElement).validationMessage);

test("a number that was emptied is not saved as 0", async () => {
  await gateway.json("device", "set", device, "--gap", "3s");
  await visitor.goto(`/devices/${device}`);
  await page.getByLabel("Gap between sends (seconds)").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await fault("Gap between sends (seconds)")).toBe("Fill in this field.");
  expect((await gateway.json("device", "list", account.id))[0].gap_ms).toBe(3000);

  await visitor.goto("/accounts");
  await fromRow(page, /toko/, "Edit the account");
  await page.getByLabel("Device limit").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await fault("Device limit")).toBe("Fill in this field.");
});

test("an owner has statuses posted together, and alone again", async () => {
  const batch = async () => (await gateway.json("account", "show", account.id)).callback_batch;
  await visitor.goto("/account");
  await page.getByRole("switch", { name: "Post statuses together" }).click();
  await page.getByLabel("At most", { exact: true }).fill("50");
  await page.getByLabel("Longest wait (ms)").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await fault("Longest wait (ms)")).toBe("Fill in this field.");
  await page.getByLabel("Longest wait (ms)").fill("300");
  await page.getByRole("button", { name: "Save" }).click();
  await soon(batch).toEqual({ max: 50, wait_ms: 300 });
  await visitor.goto("/account");
  await page.getByRole("switch", { name: "Post statuses together" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await soon(batch).toBeNull();
});

test("faults that the browser finds are worded in the app's language", async () => {
  await visitor.goto("/people");
  await page.getByRole("button", { name: "Add a person" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Add a person" });
  await dialog.getByLabel("Email").fill("ani");
  await dialog.getByRole("button", { name: "Add a person" }).click();
  expect(await fault("Email")).toContain("Write a whole e-mail address");
  await dialog.getByLabel("Email").fill("ani2@toko.example");
  expect(await fault("Email")).toBe("");
});

test("a fault that the gateway finds is at its field", async () => {
  await visitor.goto(`/devices/${device}`);
  await page.getByLabel("Maximum per day").fill("2000000000");
  await page.getByRole("button", { name: "Save" }).click();
  const field = page.getByLabel("Maximum per day");
  await soon(() => field.getAttribute("aria-invalid")).toBe("true");
  await page.getByText("Check the marked fields.").waitFor();
});

test("saving an account keeps the seconds of its end", async () => {
  const expires = async () => (await gateway.json("account", "show", account.id)).expires_at;
  const edit = async (change: (dialog: Locator) => Promise<void>) => {
    await visitor.goto("/accounts");
    await fromRow(page, /toko/, "Edit the account");
    const dialog = page.getByRole("dialog", { name: /^Edit the account/ });
    await change(dialog);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved").waitFor();
  };
  const before = await expires();
  expect(Date.parse(before)).toBe(Date.parse("2027-06-30T16:59:59Z"));
  await edit((dialog) => dialog.getByLabel("Request limit").fill("5/s"));
  expect(await expires()).toBe(before);
  await edit(async (dialog) => {
    const until = dialog.getByLabel("Valid until", { exact: true });
    await until.fill("1 jul 2028");
    await until.press("Tab");
    expect(await until.inputValue()).toBe("01/07/2028");
  });
  expect(Date.parse(await expires())).toBe(Date.parse("2028-07-01T16:59:59Z"));
});

test("a range of time is searched when it is applied, not at each key", async () => {
  await visitor.goto("/messages");
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/v1/messages?")) asked.push(request.url());
  });
  await page.getByRole("button", { name: /^Time/ }).click();
  const since = page.getByLabel("Since", { exact: true });
  await since.pressSequentially("32/1");
  await since.press("Tab");
  await page.getByText("Write the date like 22/11/2026").waitFor();
  await since.fill("");
  await since.pressSequentially("5/1/2026");
  expect(asked.filter((url) => url.includes("since="))).toEqual([]);
  await page.getByRole("button", { name: "Apply" }).click();
  await soon(() => asked.filter((url) => url.includes("since=2026-01-0")).length).toBe(1);
  await page.getByRole("button", { name: /^Time/ }).click();
  await page.getByRole("button", { name: "Yesterday" }).click();
  await soon(() => page.url()).toContain("until=");
});

test("typed filters apply after a pause, without Enter, and leave the field as it is", async () => {
  await visitor.goto("/messages");
  const words = page.getByLabel("Search in details", { exact: true });
  await words.pressSequentially("tidak ");
  await soon(() => new URL(page.url()).search).toBe("?text=tidak");
  expect(await words.inputValue()).toBe("tidak ");
  await words.fill("");
  await soon(() => new URL(page.url()).search).toBe("");
  const recipient = page.getByLabel("Recipient", { exact: true });
  await recipient.pressSequentially("0812-3456");
  await soon(() => new URL(page.url()).search).toBe("?to=628123456");
  await recipient.pressSequentially("-7890");
  await soon(() => new URL(page.url()).search).toBe("?to=6281234567890");
  expect(await recipient.inputValue()).toBe("0812-3456-7890");
  await recipient.blur();
  expect(await recipient.inputValue()).toBe("6281234567890");
});

test("numbers are found as people write them", async () => {
  await visitor.goto("/messages");
  await page.getByLabel("Recipient", { exact: true }).fill("0812-3456-7890");
  await page.keyboard.press("Enter");
  await soon(() => page.url()).toContain("?to=6281234567890");
  await visitor.goto("/");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("0812 3456 7890");
  await page.keyboard.press("Enter");
  await soon(() => page.url()).toContain("?to=6281234567890");
});
