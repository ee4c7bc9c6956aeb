// The page Send: one message to one or a few people, without a key.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { barriers, openBrowser, type Visitor } from "./support/browser.ts";
import { png } from "./support/files.ts";
import { Gateway } from "./support/gateway.ts";
import { focus, tabTo } from "./support/keyboard.ts";
import { MediaServer } from "./support/media_server.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import { person, type SomePerson } from "./support/people.ts";
import { visit } from "./support/web_people.ts";

let gateway: Gateway;
let browser: Browser;
let host: MediaServer;
let account: Account;
let device: string;
let offline: string;
let operator: SomePerson;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [gateway, browser, host] = await Promise.all([
    Gateway.create(),
    openBrowser(),
    MediaServer.open(),
  ]);
  ({ account, device } = await shop(gateway, { credits: 100 }));
  offline = await account.device();
  await gateway.json("device", "disconnect", offline);
  const flags = ["--account", account.id, "--role", "operator"];
  operator = await person(gateway, "kasir@toko.example", ...flags);
  visitor = await visit(browser, gateway, operator);
  page = visitor.page;
});
afterAll(async () => {
  expect(visitor.complaints).toEqual([]);
  await browser.close();
  await gateway.close();
  await host.close();
});
beforeEach(async () => {
  await visitor.goto("/send");
  await page.getByRole("button", { name: "Clear the form" }).click();
});

const field = (name: string) => page.getByLabel(name, { exact: true });
const choice = (name: string) => page.getByRole("combobox", { name, exact: true });
const submit = () => page.getByRole("button", { name: /^Send( to|$)/ }).click();
const result = (to: string) => page.getByRole("listitem").filter({ hasText: `+${to}` });
const chip = (to: string) => page.getByRole("button", { name: `Remove +${to}` });

/** How often the platform was given a message for the recipient. */
const sends = (to: string) => gateway.simulator.to(to).length;

/** A function that says how often the page has read the devices since. */
function readsOfDevices(): () => number {
  let reads = 0;
  page.on("requestfinished", (request) => {
    if (new URL(request.url()).pathname === "/v1/devices") reads += 1;
  });
  return () => reads;
}

async function write(to: string, text = freshText()): Promise<string> {
  await field("To").fill(to);
  await field("To").press("Enter");
  await field("Message").fill(text);
  return text;
}

test("a text reaches several people, each with their own result", async () => {
  const [good, bad] = [freshNumber(), simulated("991001")];
  await field("To").pressSequentially(`0${good.slice(2, 5)}-${good.slice(5)},`);
  await chip(good).waitFor();
  await write(bad);
  await page.getByRole("button", { name: "Send to 2 people" }).click();
  await result(good).getByText("Sent", { exact: true }).waitFor();
  await result(bad).getByText("Failed", { exact: true }).waitFor();
  await result(bad).getByText("1001 · Recipient is not registered").waitFor();
  expect(await chip(good).count()).toBe(0);
  expect(sends(good)).toBe(1);

  await result(good).getByRole("link", { name: "See its timeline" }).click();
  await page.getByRole("dialog", { name: "Message" }).getByText("Accepted and stored").waitFor();
  await page.goBack();
  await result(good).getByText("Sent", { exact: true }).waitFor();
});

test("the sender that sends at once is chosen, connected ones come first", async () => {
  expect(await choice("From").inputValue()).toBe(`${device} (Simulated)`);
  await page.getByText(/^This device is only simulated/).first().waitFor();
  await choice("From").click();
  const options = page.getByRole("option");
  expect(await options.allInnerTexts()).toEqual([
    `${device} (Simulated)`,
    `${offline} (Simulated)`,
  ]);
  await page.getByRole("option", { name: offline }).click();
  await page.getByText("This device is not connected").waitFor();
});

test("numbers are checked as they are typed, and pasted lists are taken apart", async () => {
  const to = field("To");
  await to.pressSequentially("0812-3456");
  await page.getByText("The whole number is +628123456").waitFor();
  await to.pressSequentially(" Rina");
  await page.getByText("A phone number has only digits.").waitFor();
  expect(await to.getAttribute("aria-invalid")).toBe("true");
  await to.fill("0812");
  await to.press("Enter");
  await page.getByText("Not complete").waitFor();
  expect(await to.inputValue()).toBe("0812");
  await to.fill("");
  const numbers = [freshNumber(), freshNumber()];
  await page.evaluate((text) => navigator.clipboard.writeText(text), numbers.join("\n"));
  await to.press("Control+v");
  for (const number of numbers) await chip(number).waitFor();
  await chip(numbers[0]!).click();
  expect(await chip(numbers[0]!).count()).toBe(0);
  expect(await focus(page)).toMatchObject({ name: "To" });
});

test("a refusal loses nothing that was typed, and says why", async () => {
  const to = freshNumber();
  await choice("From").click();
  await page.getByRole("option", { name: offline }).click();
  const text = await write(to);
  await submit();
  await result(to).getByText("Not sent").waitFor();
  await result(to).getByText("The device is not connected").waitFor();
  expect(await field("Message").inputValue()).toBe(text);
  await page.reload();
  await chip(to).waitFor();
  expect(await field("Message").inputValue()).toBe(text);
  await choice("From").click();
  await page.getByRole("option", { name: device }).click();
  await submit();
  await result(to).getByText("Sent", { exact: true }).waitFor();
  expect(await result(to).count()).toBe(1);
});

test("a message whose answer was lost is not sent twice", async () => {
  const to = freshNumber();
  const text = await write(to);
  await page.route(
    "**/v1/messages",
    async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    },
    { times: 1 },
  );
  await submit();
  await result(to).getByText("Not certain").waitFor();
  expect(await field("Message").inputValue()).toBe(text);
  const reads = readsOfDevices();
  await page.reload(); // The key of the first try is kept, too.
  await chip(to).waitFor();
  // The stream of events is open, and all was read again: nothing will announce that it was sent.
  await expect.poll(reads).toBeGreaterThan(1);
  await submit();
  await result(to).getByText("Sent", { exact: true }).waitFor();
  expect(sends(to)).toBe(1);
});

test("what was accepted after all is not sent with another text", async () => {
  const to = freshNumber();
  await write(to);
  await page.route(
    "**/v1/messages",
    async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    },
    { times: 1 },
  );
  await submit();
  await result(to).getByText("Not certain").waitFor();
  await field("Message").fill(freshText("lain"));
  await submit();
  await result(to).getByText("Accepted before").waitFor();
  await result(to).getByRole("link", { name: "Find the message" }).click();
  const row = page.getByRole("table", { name: "Messages" }).getByText(to);
  await row.waitFor();
  expect(sends(to)).toBe(1);
});

test("media is sent by its address, with a caption and later", async () => {
  const to = freshNumber();
  const url = host.put({ content: png, type: "image/png" });
  await page.getByText("Media", { exact: true }).click();
  await field("Address of the media").fill(url);
  await field("To").fill(to);
  await field("Caption (optional)").fill(freshText());
  await choice("When").click();
  await page.getByRole("option", { name: "In 5 hours" }).click();
  await submit();
  await result(to).getByText("Waiting", { exact: true }).waitFor();
  await result(to).getByText("its scheduled time").waitFor();
  const other = freshNumber();
  await field("Address of the media").fill(`${host.url("/tidak-ada")}`);
  await field("To").fill(other);
  await submit();
  await result(other).getByText("The address of the media file cannot be reached").waitFor();
});

test("the preview shows the text, which is counted and has a limit", async () => {
  const preview = page.getByRole("region", { name: "Preview on the recipient's phone" });
  await preview.getByText("The message appears here.").waitFor();
  await field("Message").fill("Halo\napa kabar? 😀");
  expect(await preview.innerText()).toContain("Halo\napa kabar? 😀");
  await page.getByText("17 of 4,096 characters").waitFor();
  const to = freshNumber();
  await write(to, "x".repeat(4097));
  await page.getByText("At most 4,096 characters.").waitFor();
  await submit();
  expect(await result(to).getByText(/Not sent|Waiting|Sent/).count()).toBe(0);
});

test("a message is written and sent by keyboard only", async () => {
  const to = freshNumber();
  await page.locator("main").focus();
  await tabTo(page, "From");
  await tabTo(page, "To");
  await page.keyboard.type(to);
  await page.keyboard.press("Enter");
  await tabTo(page, `Remove +${to}`);
  await tabTo(page, "Text");
  await tabTo(page, "Message");
  await page.keyboard.type("Halo");
  await page.keyboard.press("Control+Enter");
  await result(to).getByText("Sent", { exact: true }).waitFor();
  await tabTo(page, "See its timeline");
});

test("viewers have no such page, and others are led to it", async () => {
  const flags = ["--account", account.id, "--role", "viewer"];
  const viewer = await person(gateway, "pembaca@toko.example", ...flags);
  const other = await visit(browser, gateway, viewer);
  expect(await other.page.getByRole("link", { name: "Send", exact: true }).count()).toBe(0);
  await other.page.goto("/app/send");
  await other.page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
  await other.close();
  for (const [path, link] of [
    ["/messages", "Write a message"],
    ["/developers", "Send without a key"],
    ["/", "Send"],
  ] as const) {
    await visitor.goto(path);
    await page.getByRole("link", { name: link, exact: true }).first().click();
    await page.getByRole("heading", { level: 1, name: "Send" }).waitFor();
  }
});

test("the form and its results have no barriers, in both languages and on a phone", async () => {
  const to = simulated("991001");
  await write(to);
  await field("To").fill("0812 Rina");
  await submit();
  await page.getByText("A phone number has only digits.").waitFor();
  expect(await barriers(page)).toEqual([]);
  await field("To").fill("");
  await submit();
  await result(to).getByText("Failed", { exact: true }).waitFor();
  await field("To").fill("");
  await write(freshNumber());
  await page.evaluate(() => localStorage.setItem("merpati.language", "id"));
  await visitor.goto("/send");
  await page.getByText("1001 · Nomor tujuan tidak terdaftar").waitFor();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await visitor.settled();
    expect(await barriers(page), `${width}`).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(width);
    const folder = process.env["MERPATI_SCREENSHOTS"];
    if (folder) await page.screenshot({ path: `${folder}/send-${width}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.evaluate(() => localStorage.setItem("merpati.language", "en"));
});
