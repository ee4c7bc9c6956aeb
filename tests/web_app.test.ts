// The web app in use: from an empty store to the first callback, and the permissions of each role.
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop } from "./support/account.ts";
import { openBrowser, soon, type Visitor } from "./support/browser.ts";
import { Gateway } from "./support/gateway.ts";
import { exchange } from "./support/http.ts";
import { freshNumber, simulated } from "./support/numbers.ts";
import { Sink } from "./support/sink.ts";
import { person } from "./support/people.ts";
import { fromRow, visit } from "./support/web_people.ts";

let gateway: Gateway;
let browser: Browser;
let sink: Sink;

beforeAll(async () => {
  sink = await Sink.open({ secure: false });
  [gateway, browser] = await Promise.all([
    Gateway.create({ settings: { "outbound.allow_http_callbacks": true } }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
  await sink.close();
});

let people = 0;

/** Creates a person with that role in the account, and signs them in. */
async function member(role: string, account: string): Promise<Visitor> {
  people += 1;
  const email = `person${people}@toko.example`;
  const made = await person(gateway, email, "--account", account, "--role", role);
  return visit(browser, gateway, made);
}

async function makeKey({ page }: Visitor, name: string): Promise<string> {
  await page.getByRole("button", { name: "Create a key" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Create a key" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Create a key" }).click();
  const shown = page.getByRole("dialog", { name: "Your new key" });
  const key = await shown.locator("code").innerText();
  await shown.getByRole("button", { name: "I have copied it" }).click();
  gateway.secrets.add(key);
  return key;
}

test("a newcomer gets from nothing to the first callback", async () => {
  const account = await gateway.account();
  const visitor = await member("owner", account.id);
  const { page } = visitor;
  await page.getByRole("heading", { name: "Start here" }).waitFor();

  await visitor.goto("/devices");
  await page.getByRole("button", { name: "Add a device" }).click();
  const number = freshNumber();
  const dialog = page.getByRole("dialog", { name: "Add a device" });
  await dialog.getByLabel("Number").fill(number);
  await dialog.getByLabel("Simulation").check();
  await dialog.getByRole("button", { name: "Add" }).click();
  await page.getByRole("dialog", { name: number }).getByText("Connected").waitFor();

  await visitor.goto("/account");
  await page.getByLabel("Callback address").fill(sink.url("/first"));
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").waitFor();

  await visitor.goto("/keys");
  const key = await makeKey(visitor, "toko-web");

  await visitor.goto("/developers");
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("HTTP 200").waitFor();
  const told = await sink.request("/first");
  expect(told.json.status).toBe("sent");
  await page.getByRole("link", { name: "Follow this message" }).click();
  await page.getByRole("dialog", { name: "Message" }).getByText("Sent").first().waitFor();

  await visitor.goto("/");
  await page.getByRole("heading", { name: "Latest messages" }).waitFor();
  await soon(() => page.getByRole("heading", { name: "Start here" }).count()).toBe(0);
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});

test("a key that is revoked sends no more, and its name has to be typed", async () => {
  const { account, device } = await shop(gateway);
  const visitor = await member("owner", account.id);
  const { page } = visitor;
  await visitor.goto("/keys");
  const key = await makeKey(visitor, "laporan");
  const body = { to: freshNumber(), from: device, message: "Halo", Type: "text" };
  expect((await account.send(body, { key })).status).toBe(200);
  await fromRow(page, /laporan/, "Revoke");
  const dialog = page.getByRole("dialog", { name: "Revoke the key" });
  const revoke = dialog.getByRole("button", { name: "Revoke" });
  expect(await revoke.isDisabled()).toBe(true);
  await dialog.getByLabel("Type laporan to continue").fill("laporan");
  await revoke.click();
  await page.getByText("The key was revoked").waitFor();
  expect((await account.send(body, { key })).status).toBe(401);
  await visitor.close();
});

test("a message that waits appears while one looks, and can be cancelled", async () => {
  const { account, device } = await shop(gateway);
  const visitor = await member("operator", account.id);
  const { page } = visitor;
  await visitor.goto("/messages");
  await page.getByText("No messages yet").waitFor();
  const to = freshNumber();
  const body = { to, from: device, message: "Halo", Type: "text", delay: 3600 };
  await account.send(body);
  await page.getByRole("link", { name: to }).click(); // Without a reload.
  const drawer = page.getByRole("dialog", { name: "Message" });
  await drawer.getByRole("button", { name: "Cancel" }).click();
  await drawer.getByText("Cancelled").first().waitFor();
  expect(page.url()).toContain("/app/messages/");
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});

test("filters live in the address, and what they leave can be downloaded", async () => {
  const { account, device } = await shop(gateway);
  const [good, bad] = [freshNumber(), simulated("991001")];
  const sent = async (to: string) => {
    await account.send({ to, from: device, message: "Halo", Type: "text" });
  };
  await sent(good);
  await sent(bad);
  const visitor = await member("operator", account.id);
  const { page } = visitor;
  await visitor.goto("/messages");
  const rows = page.getByRole("table", { name: "Messages" }).getByRole("row");
  await soon(() => rows.count()).toBe(3);
  const choose = async (filter: string, option: string | RegExp) => {
    await page.getByRole("combobox", { name: filter }).click();
    await page.getByRole("option", { name: option }).click();
  };
  await choose("State", "Failed");
  await soon(() => page.url()).toContain("?state=failed");
  await soon(() => rows.count()).toBe(2);
  await choose("Code", /^1001/);
  await choose("Device", device);
  await page.getByLabel("Search in details").fill("terdaftar");
  await page.keyboard.press("Enter");
  await page.getByLabel("Recipient", { exact: true }).fill(`+${bad}`);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /^Time/ }).click();
  await page.getByLabel("Since", { exact: true }).fill("1/1/2026");
  await page.getByRole("button", { name: "Apply" }).click();
  const wanted = ["state=failed", "code=1001", `device=${device}`, "text=terdaftar", `to=${bad}`];
  for (const part of [...wanted, "since=202"]) await soon(() => page.url()).toContain(part);
  await soon(() => rows.count()).toBe(2);

  await page.getByRole("button", { name: "Download" }).click();
  const item = page.getByRole("menuitem", { name: "CSV" });
  const [download] = await Promise.all([page.waitForEvent("download"), item.click()]);
  const lines = readFileSync(await download.path(), "utf8")
    .trim()
    .split(/\r?\n/);
  expect(lines).toHaveLength(2); // The names of the columns, and the message.
  expect(lines[1]).toContain(bad);

  await page.reload();
  await soon(() => rows.count()).toBe(2);
  await page.getByLabel("Recipient", { exact: true }).fill(good);
  await page.keyboard.press("Enter");
  await page.getByText("Nothing matches these filters.").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await soon(() => rows.count()).toBe(3);
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});

test("a callback that was given up is delivered again", async () => {
  const { account, device } = await shop(gateway);
  const visitor = await member("operator", account.id);
  const { page } = visitor;
  sink.on("/gone", (attempt) => ({ status: attempt === 1 ? 410 : 200 }));
  const body = { to: freshNumber(), from: device, message: "Halo", Type: "text" };
  await account.send({ ...body, callbackStatus: sink.url("/gone") });
  await visitor.goto("/callbacks");
  await page.getByRole("table").getByText("Rejected by the receiver").waitFor();
  await page.getByRole("link", { name: sink.url("/gone") }).click();
  const drawer = page.getByRole("dialog", { name: "Callback" });
  await drawer.getByRole("button", { name: "Deliver again" }).click();
  await drawer.getByText("Delivered", { exact: true }).waitFor();
  expect(sink.at("/gone")).toHaveLength(2);
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});

test("a callback shows the request that carried it with others", async () => {
  const { account, device } = await shop(gateway);
  await gateway.json("account", "set", account.id, "--callback-batch", "10/5000ms");
  const visitor = await member("operator", account.id);
  const { page } = visitor;
  sink.on("/batch", (attempt) => ({ status: 200, ...(attempt === 1 && { delay: 1000 }) }));
  const body = { from: device, message: "Halo", Type: "text", callbackStatus: sink.url("/batch") };
  await account.send({ ...body, to: freshNumber() });
  await sink.request("/batch");
  const { json } = await account.send({ ...body, to: freshNumber() });
  await account.send({ ...body, to: freshNumber() });
  await sink.requests("/batch", 2);
  const listed = await gateway.json("callback", "list");
  const { id } = listed.find((one: any) => one.message === json.data.requestId);
  await visitor.goto(`/callbacks/${id}`);
  const drawer = page.getByRole("dialog", { name: "Callback" });
  await drawer.getByText("2 statuses").waitFor();
  await drawer.getByText("with 1 other").waitFor();
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});

test("a device is linked by the QR code that the gateway draws", async () => {
  const account = await gateway.account();
  const number = simulated("992001");
  await gateway.json("device", "add", account.id, number);
  const visitor = await member("operator", account.id);
  const { page } = visitor;
  await visitor.goto(`/devices/${number}`);
  await page.getByRole("button", { name: "Link", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Link ${number}` });
  const code = dialog.getByRole("img", { name: "QR code for linking the device" });
  await code
    .or(dialog.getByText("Linked", { exact: true }))
    .first()
    .waitFor();
  await dialog.getByText("Linked", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("dialog", { name: number }).getByText("Connected").waitFor();
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});

test("viewers are offered nothing that changes, and strangers see nothing", async () => {
  const { account, device } = await shop(gateway);
  const body = { to: freshNumber(), from: device, message: "x", Type: "text" };
  const answer = await account.send(body);
  const viewer = await member("viewer", account.id);
  await viewer.goto(`/messages/${answer.json.data.requestId}`);
  await viewer.goto("/devices");
  expect(await viewer.page.getByRole("button", { name: "Add a device" }).count()).toBe(0);
  expect(await viewer.page.getByRole("link", { name: "API keys" }).count()).toBe(0);
  await viewer.page.goto("/app/keys");
  await viewer.page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();

  const other = await member("owner", (await gateway.account()).id);
  await other.page.goto(`/app/messages/${answer.json.data.requestId}`);
  await other.page.getByRole("alert").getByText("Not found, or not yours.").waitFor();
  await other.page.goto("/app/accounts");
  await other.page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
  await Promise.all([viewer.close(), other.close()]);
});

test("an administrator makes an account, fills it, and links somebody to it", async () => {
  const admin = await person(gateway, "admin@toko.example", "--admin");
  const visitor = await visit(browser, gateway, admin);
  const { page } = visitor;
  await visitor.goto("/accounts");
  await page.getByRole("button", { name: "Create an account" }).click();
  const dialog = page.getByRole("dialog", { name: "Create an account" });
  await dialog.getByLabel("Name").fill("Klinik Sehat");
  await dialog.getByLabel("Credit").fill("100");
  await dialog.getByRole("button", { name: "Create an account" }).click();
  const secret = page.getByRole("dialog", { name: "The new account's webhook secret" });
  gateway.secrets.add(await secret.locator("code").innerText());
  await secret.getByRole("button", { name: "I have copied it" }).click();
  const row = page.getByRole("row", { name: /Klinik Sehat/ });
  await fromRow(page, /Klinik Sehat/, "Top up");
  await page.getByLabel("Amount").fill("23");
  await page.getByRole("dialog").getByRole("button", { name: "Top up" }).click();
  await row.getByText("123").waitFor();

  await visitor.goto("/people");
  await fromRow(page, /admin@toko.example/, "Sign-in link");
  const link = await page.getByRole("dialog", { name: "Sign-in link" }).locator("code").innerText();
  expect(link).toContain("/app/sign-in#");
  gateway.secrets.add(link.split("#")[1]!);
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});

test("Ctrl+K leads anywhere by the keyboard alone", async () => {
  const { account } = await shop(gateway);
  const visitor = await member("owner", account.id);
  const { page } = visitor;
  const search = page.getByRole("dialog").getByRole("combobox");
  await page.keyboard.press("Control+k");
  await search.fill("callb");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Callbacks" }).waitFor();
  await page.keyboard.press("Control+k");
  await search.fill("6281234567890");
  await page.getByText("Find messages to 6281234567890").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Nothing matches these filters.").waitFor();
  expect(page.url()).toContain("?to=6281234567890");
  await visitor.close();
});

test("another site's page can change nothing with the cookie", async () => {
  const { account } = await shop(gateway);
  const visitor = await member("owner", account.id);
  const cookies = await visitor.context.cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const body = JSON.stringify({ account: account.id, number: freshNumber() });
  const post = (headers: Record<string, string>) =>
    exchange({
      method: "POST",
      url: `${gateway.url}/v1/devices`,
      headers: { cookie, "content-type": "application/json", ...headers },
      body,
    });
  expect((await post({})).status).toBe(403);
  const header = { "x-merpati-request": "1" };
  expect((await post({ ...header, "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await post(header)).status).toBe(200);
  expect(cookies.every((one) => one.httpOnly && one.sameSite !== "None")).toBe(true);
  await visitor.close();
});
