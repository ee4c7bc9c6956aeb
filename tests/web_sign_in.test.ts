// Signing in to the web app, and out of it.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, soon, Visitor } from "./support/browser.ts";
import { Gateway } from "./support/gateway.ts";
import { linkOf, person, type SomePerson } from "./support/people.ts";
import { visit } from "./support/web_people.ts";

let gateway: Gateway;
let browser: Browser;
let owner: SomePerson;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.create(), openBrowser()]);
  const account = await gateway.account();
  owner = await person(gateway, "ani@toko.example", "--account", account.id, "--role", "owner");
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
});

const stranger = () => Visitor.open(browser, { baseUrl: gateway.url });

test("a wrong password and an unknown person are told the same", async () => {
  const visitor = await stranger();
  const { page } = visitor;
  const texts: string[] = [];
  for (const email of [owner.email, "nobody@toko.example"]) {
    await page.goto("/app/devices");
    await page.getByLabel("Email").fill(email);
    await page.locator('input[type="password"]').fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    texts.push(await page.getByRole("alert").innerText());
  }
  expect(texts[0]).toBe("Email, password or code is wrong.");
  expect(texts[1]).toBe(texts[0]);
  await visitor.close();
});

test("who signs in comes out at the page that was asked for", async () => {
  const visitor = await stranger();
  const { page } = visitor;
  await page.goto("/app/devices");
  await page.getByLabel("Email").fill(owner.email);
  await page.locator('input[type="password"]').fill(owner.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Devices" }).waitFor();
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});

test("a link signs in once, and leaves no token in the address", async () => {
  const url = await linkOf(gateway, owner.email);
  const first = await stranger();
  await first.page.goto(url);
  await first.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  expect(first.page.url()).not.toContain("#");
  await first.close();
  const second = await stranger();
  await second.page.goto(url);
  expect(await second.page.getByRole("alert").innerText()).toContain("already been used");
  await second.close();
});

test("an answer of before the sign-in, which comes after it, signs nobody out", async () => {
  const url = await linkOf(gateway, owner.email);
  const visitor = await stranger();
  const { page } = visitor;
  const signedIn = page.waitForResponse((answer) => answer.url().endsWith("/v1/session/link"));
  let late = false;
  await page.route("**/v1/session", async (route) => {
    const answer = await route.fetch();
    if (!late) await signedIn; // Delays the first answer, which says that nobody is signed in.
    late = true;
    await route.fulfill({ response: answer });
  });
  await page.goto(url);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await visitor.close();
});

test("a session that is ended elsewhere is over here", async () => {
  const here = await visit(browser, gateway, owner);
  const elsewhere = await visit(browser, gateway, owner);
  await elsewhere.goto("/settings");
  await elsewhere.page.getByRole("button", { name: "End all others" }).click();
  const rows = elsewhere.page.getByRole("table", { name: "Sessions" }).getByRole("row");
  await soon(() => rows.count()).toBe(2); // The head, and the session that asked.
  // The overview asks every few seconds.
  await here.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  await Promise.all([here.close(), elsewhere.close()]);
});

test("who signs out is out, on a reload too", async () => {
  const visitor = await visit(browser, gateway, owner);
  const { page } = visitor;
  await page.getByRole("button", { name: owner.email }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  await visitor.close();
});

test("the language is remembered", async () => {
  const visitor = await stranger();
  const { page } = visitor;
  await page.goto("/app/");
  await page.getByRole("button", { name: "Bahasa Indonesia" }).click();
  await page.getByRole("heading", { level: 1, name: "Masuk" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Masuk" }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("id");
  await visitor.close();
});
