// What the web app shows is true and in time: for the right person, of the right account, and
// marked if it is old.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop } from "./support/account.ts";
import { openBrowser, soon, Visitor } from "./support/browser.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, simulated } from "./support/numbers.ts";
import { person, PersonClient, type SomePerson } from "./support/people.ts";
import { waitFor } from "./support/wait.ts";
import { visit } from "./support/web_people.ts";

let gateway: Gateway;
let browser: Browser;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.create(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
});

let people = 0;

async function owner(account: string): Promise<SomePerson> {
  people += 1;
  const email = `pemilik${people}@toko.example`;
  return person(gateway, email, "--account", account, "--role", "owner");
}

async function signIn(page: Page, who: SomePerson): Promise<void> {
  await page.locator('input[type="email"]').fill(who.email);
  await page.locator('input[type="password"]').fill(who.password);
  await page.locator('button[type="submit"]').click();
  await page.locator("main#content").waitFor();
}

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

/** A message that is due in an hour. */
const later = (from: string) => ({
  to: freshNumber(),
  from,
  message: "Halo",
  Type: "text",
  delay: 3600,
});

test("a browser that prefers English (GB) opens in English", async () => {
  for (const [locale, title] of [
    ["en-GB", "Sign in"],
    ["jv-ID", "Masuk"],
  ] as const) {
    const context = await browser.newContext({ baseURL: gateway.url, locale });
    const page = await context.newPage();
    const asked = page.waitForRequest("**/v1/session");
    await page.goto("/app/");
    await heading(page, title).waitFor();
    expect((await asked).headers()["accept-language"]).toBe(locale === "en-GB" ? "en" : "id");
    await context.close();
  }
});

test("when another person signs in, no tab of the browser shows the first one's data", async () => {
  const [first, second] = [await shop(gateway), await shop(gateway)];
  const [ani, budi] = [await owner(first.account.id), await owner(second.account.id)];
  const body = later(first.device);
  await first.account.send(body);
  const visitor = await visit(browser, gateway, ani);
  const other = await visitor.context.newPage();
  await other.goto("/app/messages");
  await other.getByRole("link", { name: body.to }).click();
  await other.getByRole("dialog", { name: "Message" }).waitFor();

  const { page } = visitor;
  await page.getByRole("button", { name: ani.email }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await heading(other, "Sign in").waitFor(); // Without a click there.
  await signIn(page, budi);
  await other.getByRole("button", { name: budi.email }).waitFor();
  // Nothing of the first person appears, not even for a moment.
  expect(await other.getByText(body.to).count()).toBe(0);
  await other.goto("/app/messages");
  await other.getByText("No messages yet").waitFor();
  await visitor.close();
});

test("a session that ended elsewhere says so, on a page that is only looked at", async () => {
  const { account } = await shop(gateway);
  const ani = await owner(account.id);
  const visitor = await visit(browser, gateway, ani);
  const { page } = visitor;
  await visitor.goto("/settings"); // It polls nothing.
  await page.locator("main[data-live=true]").waitFor();
  const elsewhere = await PersonClient.signedIn(gateway, ani);
  expect((await elsewhere.ask("DELETE", "/sessions/others")).status).toBe(200);
  await heading(page, "Sign in").waitFor();
  await page.getByText("Your session has ended. Please sign in again.").waitFor();
  await signIn(page, ani);
  await heading(page, "Settings").waitFor();
  await visitor.close();
});

test("another account closes a dialog that is about the first one", async () => {
  const [first, second] = [await shop(gateway), await shop(gateway)];
  await gateway.json("account", "set", first.account.id, "--name", "Toko Satu");
  await gateway.json("account", "set", second.account.id, "--name", "Toko Dua");
  const ani = await owner(first.account.id);
  const flags = ["--account", second.account.id, "--role", "owner"];
  await gateway.json("user", "set", ani.email, ...flags);
  const visitor = await visit(browser, gateway, ani);
  const { page } = visitor;
  await visitor.goto("/account");
  await page.getByText(first.account.id).waitFor();
  await page.getByRole("button", { name: "Rotate the secret" }).click();
  const dialog = page.getByRole("dialog", { name: "Rotate the secret" });
  await dialog.waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Toko Dua");
  await page.keyboard.press("Enter");
  await page.getByText(second.account.id).waitFor();
  await dialog.waitFor({ state: "hidden" });
  await visitor.close();
});

test("what was shown stays while the gateway does not answer, and is said to be old", async () => {
  const { account, device } = await shop(gateway);
  const body = later(device);
  await account.send(body);
  const visitor = await visit(browser, gateway, await owner(account.id));
  const { page } = visitor;
  await visitor.goto("/messages");
  await page.getByText("Live", { exact: true }).first().waitFor();
  await page.getByRole("link", { name: body.to }).click();
  const drawer = page.getByRole("dialog", { name: "Message" });
  await drawer.getByText("Accepted and stored").waitFor();
  await page.route("**/v1/**", (route) => route.abort());
  await drawer.getByRole("button", { name: "Show the text" }).click(); // Asks once more, in vain.
  await page.getByText("The gateway has not answered since").waitFor();
  await page.getByText("Gateway not reached").first().waitFor();
  await drawer.getByText("Accepted and stored").waitFor();
  const list = page.getByRole("table");
  expect(await list.getByRole("link", { name: body.to }).count()).toBe(1);
  await page.unroute("**/v1/**");
  await soon(() => page.getByText("The gateway has not answered since").count()).toBe(0);
  await visitor.close();
});

test("a gateway that does not answer when the app is opened is asked again", async () => {
  const visitor = await Visitor.open(browser, { baseUrl: gateway.url });
  const { page } = visitor;
  await page.route("**/v1/session", (route) => route.abort());
  await page.goto("/app/");
  await page.getByRole("alert").getByText("The gateway cannot be reached").waitFor();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await page.unroute("**/v1/session");
  await heading(page, "Sign in").waitFor(); // By itself.
  await visitor.close();
});

test("a list says why its messages wait, and for what they failed", async () => {
  const { account, device } = await shop(gateway);
  const send = async (to: string, more: object = {}) => {
    const body = { to, from: device, message: "Halo", Type: "text", ...more };
    return (await account.send(body)).json.data.requestId as string;
  };
  const refused = simulated("995002");
  await send(refused);
  const waiting = freshNumber();
  await send(waiting, { delay: 2 });
  await gateway.json("device", "disconnect", device);
  const visitor = await visit(browser, gateway, await owner(account.id));
  const { page } = visitor;
  await visitor.goto("/messages");
  const row = (to: string) => page.getByRole("row").filter({ hasText: to });
  await row(refused).getByText("500 · The platform refused the message").waitFor();
  await row(waiting).getByText("the device is not connected").waitFor();
  await page.getByRole("link", { name: waiting }).click();
  const drawer = page.getByRole("dialog", { name: "Message" });
  await drawer.getByRole("link", { name: "View" }).waitFor();
  // It would be refused: the message is due already.
  expect(await drawer.getByRole("button", { name: "Send now" }).count()).toBe(0);
  await drawer.getByRole("link", { name: device }).click();
  await page.getByRole("dialog", { name: device }).getByText("Disconnected").first().waitFor();
  await visitor.close();
});

test("a message that may have arrived is sent again only after its number was typed", async () => {
  const { account, device } = await shop(gateway, { delivery: "at-most-once" });
  const to = simulated("995003");
  const answer = await account.send({ to, from: device, message: "Halo", Type: "text" });
  const id = answer.json.data.requestId as string;
  const state = async () => (await gateway.json("message", "show", id)).state;
  await waitFor("the message to be held", async () => (await state()) === "held");
  const visitor = await visit(browser, gateway, await owner(account.id));
  const { page } = visitor;
  await visitor.goto("/");
  await page.getByText("1 message is held: decide whether to send it.").waitFor();
  await visitor.goto(`/messages/${id}`);
  const drawer = page.getByRole("dialog", { name: "Message" });
  await drawer.getByRole("button", { name: "Mark as failed" }).click();
  await drawer.getByRole("button", { name: "Send again as a new message" }).click();
  const dialog = page.getByRole("dialog", { name: "Send again as a new message" });
  const again = dialog.getByRole("button", { name: "Send again" });
  expect(await again.isDisabled()).toBe(true);
  await dialog.getByLabel(`Type ${to} to continue`).fill(to);
  await again.click();
  await page.getByText("A new message was created").waitFor();
  await visitor.close();
});

test("a count of waiting messages follows what happens to them", async () => {
  const { account, device } = await shop(gateway);
  await gateway.json("device", "pause", device);
  const visitor = await visit(browser, gateway, await owner(account.id));
  const { page } = visitor;
  await visitor.goto("/devices");
  await page.locator("main[data-live=true]").waitFor();
  const row = page.getByRole("row").filter({ hasText: device });
  for (let count = 1; count <= 2; count += 1) {
    await account.send({ to: freshNumber(), from: device, message: "Halo", Type: "text" });
    await soon(() => row.locator("td").nth(3).innerText()).toBe(`${count}`);
  }
  await gateway.json("device", "resume", device);
  await soon(() => row.locator("td").nth(3).innerText()).toBe("0");
  await visitor.goto("/");
  await soon(() => page.getByText("is paused").count()).toBe(0);
  await gateway.json("device", "pause", device);
  await page.getByText(`${device} is paused`).waitFor();
  await visitor.close();
});

test("a restricted device is online, and its new chats are said to wait for the end", async () => {
  const account = await gateway.account();
  await account.createKey();
  const device = await account.device(simulated("997004"));
  const who = await owner(account.id);
  const visitor = await visit(browser, gateway, who);
  const indonesian = await visit(browser, gateway, who, { language: "id" });
  const { page } = visitor;
  const send = (to: string) => account.send({ to, from: device, message: "Halo", Type: "text" });
  await send(simulated("997000")); // Restricts the device for a minute; the recipient answers.
  await page.getByText(`The platform restricts ${device}: new chats wait until`).waitFor();
  await indonesian.page
    .getByText(`${device} dibatasi platform: percakapan baru menunggu`)
    .waitFor();
  await page.getByText("1 of 1", { exact: true }).waitFor();
  const linked = page.getByRole("listitem").filter({ hasText: "Link it to a phone" });
  expect(await linked.getAttribute("data-done")).toBe("true");
  const chat = freshNumber();
  await send(chat);
  await visitor.goto("/messages");
  const row = page.getByRole("row").filter({ hasText: chat });
  await row.getByText("the end of the device's restriction · until").waitFor();
  await gateway.json("device", "pause", device);
  await visitor.goto("/devices");
  await page.getByRole("row").filter({ hasText: device }).getByText("Paused").waitFor();
  await indonesian.close();
  await visitor.close();
});
