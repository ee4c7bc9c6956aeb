// Devices in the web app: the connectors by plain names, and linking by each method.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { openBrowser, soon, type Visitor } from "./support/browser.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, simulated } from "./support/numbers.ts";
import { person, type SomePerson } from "./support/people.ts";
import { visit } from "./support/web_people.ts";
import { waitFor } from "./support/wait.ts";

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

const NEVER_SCANNED = "992005"; // Of these the test can choose another method at any time.

const drawer = (number: string) => page.getByRole("dialog", { name: number, exact: true });

/** Makes the page read everything again, and waits until it has. */
async function resync(): Promise<void> {
  const read = page.waitForResponse((one) => new URL(one.url()).pathname === "/v1/devices");
  await page.evaluate((name) => {
    const channel = new BroadcastChannel(name);
    channel.postMessage({ kind: "event", event: { type: "resync", data: null } });
    channel.close();
  }, `merpati.events.${account.id}`);
  await read;
}

/**
 * Adds a simulated device that first has to be linked, and opens the window for it, which begins
 * with a QR code. Of most numbers the simulator scans it within a second.
 */
async function link(code: string): Promise<ReturnType<Page["getByRole"]>> {
  const number = simulated(code);
  await gateway.json("device", "add", account.id, number);
  await visitor.goto(`/devices/${number}`);
  await page.getByRole("button", { name: "Link", exact: true }).click();
  return page.getByRole("dialog", { name: `Link ${number}` });
}

test("who adds a device chooses how it sends, and is told what that means and risks", async () => {
  await visitor.goto("/devices");
  await page.getByRole("button", { name: "Add a device" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a device" });
  await dialog.getByText("linked like a second computer").waitFor();
  await dialog.getByLabel("Your phone").check();
  await dialog.getByText("Not official: the platform does not permit such programs").waitFor();
  await dialog.getByLabel("Simulation").check();
  expect(await dialog.getByText("Not official").count()).toBe(0);
  const number = freshNumber();
  await dialog.getByLabel("Number").fill(`0${number.slice(2)}`); // As people write it.
  await dialog.getByRole("button", { name: "Add" }).click();
  await drawer(number).getByText("Simulated", { exact: true }).waitFor();
  await drawer(number).getByText("its messages reach nobody").waitFor();
  await page.keyboard.press("Escape");
  const row = page.getByRole("row").filter({ hasText: number });
  await row.getByText("Simulated", { exact: true }).waitFor();
  const body = { to: freshNumber(), from: device, message: "Halo", Type: "text" };
  const { requestId } = (await account.send(body)).json.data;
  await visitor.goto(`/messages/${requestId}`);
  const message = page.getByRole("dialog", { name: "Message" });
  await message.getByText("Simulated", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByLabel("Device", { exact: true }).first().click();
  await page.getByRole("option", { name: `${device} (Simulated)` }).waitFor();
  await visitor.goto("/");
  const strip = page.getByRole("listitem").filter({ hasText: device });
  await strip.getByText("Simulated", { exact: true }).waitFor();
});

test("a device that was never linked is offered to be linked, not to be connected", async () => {
  const number = freshNumber();
  await gateway.json("device", "add", account.id, number, "--connector", "linked");
  await visitor.goto(`/devices/${number}`);
  await drawer(number).getByText("Not linked").waitFor();
  await drawer(number).getByRole("button", { name: "Link", exact: true }).waitFor();
  expect(await drawer(number).getByRole("button", { name: "Connect" }).count()).toBe(0);
  expect(await drawer(number).getByText("Simulated").count()).toBe(0);
});

test("recipients that only the simulator knows are not offered for a real device", async () => {
  const number = freshNumber();
  await gateway.json("device", "add", account.id, number, "--connector", "linked");
  await visitor.goto("/developers");
  await page.getByLabel("Outcome in the simulator").first().waitFor();
  await page.getByRole("combobox", { name: "From" }).click();
  await page.getByRole("option", { name: number, exact: true }).click();
  await soon(() => page.getByLabel("Outcome in the simulator").count()).toBe(0);
  expect(await page.getByLabel("To", { exact: true }).inputValue()).toBe("");
  await page.getByLabel("To", { exact: true }).fill("0812-3456-7890");
  await page.keyboard.press("Tab");
  await page.getByText('"to": "6281234567890"').waitFor();
});

test("a one-time code is asked for, a wrong one is told, and reopening voids nothing", async () => {
  const begun: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/pair")) begun.push(request.url());
  });
  const dialog = await link("992002"); // Is paired by a code in half a second.
  await dialog.getByText("Linked", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();

  begun.length = 0;
  const asking = await link(NEVER_SCANNED);
  await asking.getByText("One-time code", { exact: true }).click();
  await asking.getByLabel("Code", { exact: true }).waitFor();
  const before = begun.length;
  await page.keyboard.press("Escape");
  await asking.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Link", exact: true }).click();
  await asking.getByLabel("Code", { exact: true }).fill("000000");
  await resync(); // As when the stream of events opens late.
  await asking.getByRole("button", { name: "Send the answer" }).click();
  await asking.getByText(/was not accepted|wrong/i).first().waitFor();
  await asking.getByLabel("Code", { exact: true }).fill("123456");
  await asking.getByRole("button", { name: "Send the answer" }).click();
  await asking.getByText("Linked", { exact: true }).waitFor();
  expect(begun.length).toBe(before);
});

test("a passkey's question is shown and answered", async () => {
  const dialog = await link(NEVER_SCANNED);
  await dialog.getByText("Passkey", { exact: true }).click();
  await dialog.getByText("publicKey").waitFor();
  // A pairing that begins anew, by the click above, empties the field.
  const send = dialog.getByRole("button", { name: "Send the answer" });
  await waitFor("the answer to stay", async () => {
    await dialog.getByLabel("Answer of the passkey").fill("{}");
    return send.isEnabled();
  });
  await send.click();
  await dialog.getByText("Linked", { exact: true }).waitFor();
});

test("who links again and holds what waits is told that the device is paused", async () => {
  const number = await account.device();
  const body = { to: freshNumber(), from: number, message: "Halo", Type: "text", delay: 3600 };
  expect((await account.send(body)).status).toBe(200);
  await gateway.json("device", "disconnect", number);
  await visitor.goto(`/devices/${number}`);
  await page.getByRole("button", { name: "Link", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Link ${number}` });
  await dialog.getByRole("button", { name: "Link", exact: true }).click();
  await dialog.getByText("Linked", { exact: true }).waitFor();
  await dialog.getByText("but paused: waiting messages are sent only after").waitFor();
  await dialog.getByRole("button", { name: "Resume, and send what waits" }).click();
  await dialog.waitFor({ state: "hidden" });
  await drawer(number).getByText("Connected").waitFor();
});

test("a phone, which cannot scan its own screen, is offered the code first", async () => {
  const phone = await visit(browser, gateway, owner, { width: 390 });
  const number = simulated("992005");
  await gateway.json("device", "add", account.id, number);
  await phone.goto(`/devices/${number}`);
  await phone.page.getByRole("button", { name: "Link", exact: true }).click();
  const dialog = phone.page.getByRole("dialog", { name: `Link ${number}` });
  await dialog.getByText("Enter this code on that phone.").waitFor();
  expect(await dialog.getByRole("radio").first().getAttribute("value")).toBe("code");
  await phone.close();
});
