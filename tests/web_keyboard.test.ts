// The main tasks in the web app by keyboard only: the focus is visible, moves to the right place,
// stays inside a dialog, and returns from it.
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { openBrowser, soon, type Visitor } from "./support/browser.ts";
import { Gateway } from "./support/gateway.ts";
import { focus, tabTo, tabsAround } from "./support/keyboard.ts";
import { freshNumber, simulated } from "./support/numbers.ts";
import { person, type SomePerson } from "./support/people.ts";
import { visit } from "./support/web_people.ts";

let gateway: Gateway;
let browser: Browser;
let account: Account;
let device: string;
let owner: SomePerson;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.create(), openBrowser()]);
  ({ account, device } = await shop(gateway));
  owner = await person(gateway, "ani@toko.example", "--account", account.id, "--role", "owner");
  visitor = await visit(browser, gateway, owner);
  page = visitor.page;
});
afterAll(async () => {
  expect(visitor.complaints).toEqual([]);
  await browser.close();
  await gateway.close();
});

const press = (key: string) => page.keyboard.press(key);
const nameOfFocus = async () => (await focus(page)).name;

/** Opens a page by Ctrl+K, from any page. */
async function open(typed: string, heading: string): Promise<void> {
  await press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").waitFor();
  expect((await focus(page)).seen).toBe(true);
  await page.keyboard.type(typed);
  await press("Enter");
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await visitor.settled();
  await soon(() => page.getByRole("dialog").count()).toBe(0);
}

/** Checks that Tab stays inside the dialog with this name, and closes it by Escape. */
async function walkAndLeave(dialog: Locator, name: string): Promise<void> {
  await visitor.settled();
  expect(await tabsAround(page)).toEqual({ dialogs: [name], unseen: [] });
  await press("Escape");
  await dialog.waitFor({ state: "hidden" });
}

test("the first stop leads past the navigation", async () => {
  await page.goto("/app/");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await press("Tab");
  expect(await focus(page)).toMatchObject({ name: "Skip to content", seen: true });
  await press("Enter");
  await soon(async () => (await focus(page)).id).toBe("content");
});

test("a page that was opened has the focus", async () => {
  await open("usage", "Usage");
  await soon(async () => (await focus(page)).id).toBe("content");
  await press("Tab");
  expect((await focus(page)).inMain).toBe(true);
});

test("messages are filtered, and one is opened and closed again", async () => {
  const to = freshNumber();
  await account.send({ to, from: device, message: "Halo", Type: "text" });
  await account.send({ to: freshNumber(), from: device, message: "Halo", Type: "text" });
  await open("messages", "Messages");
  await tabTo(page, "Recipient");
  await page.keyboard.type(to);
  await press("Enter");
  await soon(() => page.url()).toContain(`?to=${to}`);
  const rows = page.getByRole("table", { name: "Messages" }).getByRole("row");
  await soon(() => rows.count()).toBe(2);

  await tabTo(page, to);
  await press("Enter");
  const drawer = page.getByRole("dialog", { name: "Message" });
  await drawer.getByText("Accepted and stored").waitFor();
  await walkAndLeave(drawer, "Message");
  await soon(nameOfFocus).toBe(to);
});

test("times are chosen in a window that gives the focus back", async () => {
  await open("messages", "Messages");
  await tabTo(page, "Time: Any time");
  await press("Enter");
  await page.getByLabel("Since", { exact: true }).waitFor();
  await soon(nameOfFocus).toBe("Today");
  await press("Escape");
  await soon(nameOfFocus).toBe("Time: Any time");
});

test("the pairing dialog opens over a device, and closes alone", async () => {
  const number = simulated("992005");
  await gateway.json("device", "add", account.id, number);
  await open("devices", "Devices");
  await tabTo(page, number);
  await press("Enter");
  const drawer = page.getByRole("dialog", { name: number, exact: true });
  await drawer.getByRole("button", { name: "Link", exact: true }).waitFor();
  await visitor.settled();
  await tabTo(page, "Link");
  await press("Enter");
  const dialog = page.getByRole("dialog", { name: `Link ${number}` });
  await dialog.getByRole("img", { name: "QR code for linking the device" }).waitFor();
  await walkAndLeave(dialog, `Link ${number}`);
  expect(await drawer.isVisible()).toBe(true);
  await soon(nameOfFocus).toBe("Link");
  await press("Escape");
  await drawer.waitFor({ state: "hidden" });
  await soon(nameOfFocus).toBe(number);
});

test("a key is made, and revoked by typing its name", async () => {
  await open("api keys", "API keys");
  await tabTo(page, "Create a key");
  await press("Enter");
  const making = page.getByRole("dialog", { name: "Create a key" });
  await making.waitFor();
  await soon(nameOfFocus).toBe("Name");
  await page.keyboard.type("papan-tik");
  await press("Enter");
  const made = page.getByRole("dialog", { name: "Your new key" });
  gateway.secrets.add(await made.locator("code").innerText());
  await visitor.settled();
  expect(await tabsAround(page)).toEqual({ dialogs: ["Your new key"], unseen: [] });
  await tabTo(page, "I have copied it");
  await press("Enter");
  await made.waitFor({ state: "hidden" });
  await soon(nameOfFocus).toBe("Create a key");

  await tabTo(page, "Actions for papan-tik");
  await press("Enter");
  await page.getByRole("menuitem", { name: "Revoke" }).waitFor();
  await soon(nameOfFocus).toBe("Rotate");
  await press("ArrowDown");
  expect(await focus(page)).toMatchObject({ name: "Revoke", seen: true });
  await press("Enter");
  const asking = page.getByRole("dialog", { name: "Revoke the key" });
  await asking.waitFor();
  await soon(nameOfFocus).toBe("Type papan-tik to continue");
  await press("Enter"); // Nothing is typed yet.
  expect(await asking.isVisible()).toBe(true);
  await page.keyboard.type("papan-tik");
  await press("Enter");
  await page.getByText("The key was revoked").waitFor();
  await asking.waitFor({ state: "hidden" });
  // The element that had the focus was removed with the key.
  await soon(async () => (await focus(page)).inMain).toBe(true);
});

test("a campaign is created, written, tried and started", async () => {
  const to = freshNumber();
  await open("campaigns", "Campaigns");
  await tabTo(page, "Create a campaign");
  await press("Enter");
  const creating = page.getByRole("dialog", { name: "Create a campaign" });
  await creating.waitFor();
  await soon(nameOfFocus).toBe("Name");
  await page.keyboard.type("Papan tik");
  await press("Tab"); // The purpose, of which the arrows choose.
  await press("ArrowRight");
  await visitor.settled();
  await tabTo(page, "Create a campaign");
  await press("Enter");
  await page.getByRole("heading", { level: 1, name: "Papan tik" }).waitFor();

  await tabTo(page, "CSV file");
  await press("ArrowRight");
  await tabTo(page, "Numbers");
  await page.keyboard.type(to);
  await tabTo(page, "Add them");
  await press("Enter");
  await page.getByRole("heading", { level: 2, name: "Result" }).waitFor();
  await tabTo(page, "Next: Message");
  await press("Enter");
  await page.getByRole("heading", { level: 2, name: "Message" }).waitFor();
  await soon(nameOfFocus).toBe("Message"); // The step's heading: its controls follow.
  await tabTo(page, "Text");
  await page.keyboard.type("Halo ");
  await tabTo(page, "Insert number");
  await press("Enter");
  await soon(nameOfFocus).toBe("Text");
  await page.keyboard.type("!");
  await page.getByText("All is saved").waitFor();
  expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("Halo {{number}}!");
  await tabTo(page, "Next: Sending");
  await press("Enter");
  await page.getByRole("heading", { level: 2, name: "Sending" }).waitFor();
  await tabTo(page, "Next: Review");
  await press("Enter");
  await page.getByText("Ready to start.").waitFor();
  await tabTo(page, "Start now");
  await press("Enter");
  const starting = page.getByRole("dialog", { name: "Start the campaign" });
  await starting.waitFor();
  await visitor.settled();
  await tabTo(page, "Start now");
  await press("Enter");
  await page.getByText("Finished", { exact: true }).waitFor();
  expect(gateway.simulator.to(to).map(({ body }) => body)).toEqual([`Halo ${to}!`]);
});

test("a contact is added, opened and closed, and its form gives the focus back", async () => {
  await open("contacts", "Contacts");
  await tabTo(page, "Add a contact");
  await press("Enter");
  const form = page.getByRole("dialog", { name: "Add a contact" });
  await form.waitFor();
  await soon(nameOfFocus).toBe("Number");
  await page.keyboard.type("0812-8888-1234");
  await tabTo(page, "Name");
  await page.keyboard.type("Ani");
  await press("Enter");
  const drawer = page.getByRole("dialog", { name: "Contact", exact: true });
  await drawer.getByText("Ani", { exact: true }).waitFor();
  await visitor.settled();
  await tabTo(page, "Edit the contact");
  await press("Enter");
  const editing = page.getByRole("dialog", { name: "Edit the contact" });
  await editing.waitFor();
  await soon(nameOfFocus).toBe("Name");
  await walkAndLeave(editing, "Edit the contact");
  expect(await drawer.isVisible()).toBe(true);
  await soon(nameOfFocus).toBe("Edit the contact");
  await walkAndLeave(drawer, "Contact");
});

test("a number is suppressed, and allowed again by a menu", async () => {
  await open("suppressions", "Suppressions");
  await tabTo(page, "Add a number");
  await press("Enter");
  await page.getByRole("dialog", { name: "Suppress a number" }).waitFor();
  await soon(nameOfFocus).toBe("Number");
  await page.keyboard.type("0812-8888-1235");
  await press("Enter");
  await page.getByRole("row", { name: /6281288881235/ }).waitFor();
  await tabTo(page, "Actions for 6281288881235");
  await press("Enter");
  await page.getByRole("menuitem", { name: "Allow again" }).waitFor();
  await press("Enter");
  const asking = page.getByRole("dialog", { name: "Write to 6281288881235 again" });
  await asking.waitFor();
  await walkAndLeave(asking, "Write to 6281288881235 again");
});

test("one signs out", async () => {
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await tabTo(page, /ani@toko\.example/);
  await press("Enter");
  await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
  await soon(nameOfFocus).toBe("Settings");
  await press("End");
  expect(await nameOfFocus()).toBe("Sign out");
  await press("Enter");
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  await tabTo(page, "Email");
  await page.keyboard.type(owner.email);
  await press("Tab");
  await page.keyboard.type(owner.password);
  await press("Enter");
  await page.getByRole("navigation").waitFor();
});
