// An owner invites people by a link, which asks for a password.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { openBrowser, Visitor } from "./support/browser.ts";
import { Gateway } from "./support/gateway.ts";
import { linkOf, person, PersonClient, tokenOf, type SomePerson } from "./support/people.ts";
import { fromRow, visit } from "./support/web_people.ts";

let gateway: Gateway;
let browser: Browser;
let account: Account;
let owner: SomePerson;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.create(), openBrowser()]);
  ({ account } = await shop(gateway));
  owner = await person(gateway, "ani@toko.example", "--account", account.id, "--role", "owner");
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
});

const stranger = () => Visitor.open(browser, { baseUrl: gateway.url });

/** Invites by the page, and returns the link that it shows once. */
async function invite({ page }: Visitor, email: string): Promise<string> {
  await page.getByRole("button", { name: "Invite a person" }).click();
  const dialog = page.getByRole("dialog", { name: "Invite a person" });
  await dialog.getByLabel("Email").fill(email);
  await dialog.getByRole("button", { name: "Invite a person" }).click();
  return linkShown({ page });
}

async function linkShown({ page }: Pick<Visitor, "page">): Promise<string> {
  const shown = page.getByRole("dialog", { name: "Invitation link" });
  await shown.getByText("yourself: the server sends no mail").waitFor();
  const url = await shown.locator("code").innerText();
  gateway.secrets.add(tokenOf(url));
  await shown.getByRole("button", { name: "I have copied it" }).click();
  return url;
}

test("an invited person chooses a password, and comes back with it", async () => {
  const visitor = await visit(browser, gateway, owner);
  await visitor.goto("/account");
  const email = "budi@toko.example";
  const url = await invite(visitor, email);
  const open = visitor.page.getByRole("table", { name: "Invitations not accepted yet" });
  await open.getByText(email).waitFor();

  const invited = await stranger();
  const { page } = invited;
  await page.goto(url);
  await page.getByText("You are invited to the account toko.").waitFor();
  await page.getByText(owner.email).waitFor();
  expect(page.url()).not.toContain("#");
  const password = "rahasia-budi-2026";
  gateway.secrets.add(password);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Accept the invitation" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  expect(invited.complaints).toEqual([]);
  await invited.close();

  const again = await visit(browser, gateway, { email, password });
  await again.close();
  const late = await stranger();
  await late.page.goto(url);
  await late.page.getByRole("alert").getByText("has been used or revoked").waitFor();
  await late.close();
  await visitor.goto("/account");
  const members = visitor.page.getByRole("table", { name: "People" });
  await members.getByText(email).waitFor();
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});

test("an invitation can be revoked, and made anew", async () => {
  const visitor = await visit(browser, gateway, owner);
  await visitor.goto("/account");
  const first = await invite(visitor, "cici@toko.example");
  await fromRow(visitor.page, /cici@toko/, "Make a new link");
  const second = await linkShown(visitor);
  await fromRow(visitor.page, /cici@toko/, "Revoke the invitation");
  await visitor.page.getByText("The invitation was revoked").waitFor();
  for (const url of [first, second]) {
    const late = await stranger();
    await late.page.goto(url);
    await late.page.getByRole("alert").getByText("has been used or revoked").waitFor();
    await late.close();
  }
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});

test("who came by a sign-in link and has no password is asked for one", async () => {
  const email = "dedi@toko.example";
  const admin = await person(gateway, "admin@merpati.example", "--admin");
  const client = await PersonClient.signedIn(gateway, admin);
  // Such a person did not come by an invitation, which asks for a password.
  const added = await client.ask("POST", "/account/people", {
    account: account.id,
    email,
    role: "viewer",
  });
  expect(added.status).toBe(200);
  const asked = await stranger();
  await asked.page.goto(await linkOf(gateway, email));
  await asked.page.getByRole("heading", { level: 1, name: "Choose a password" }).waitFor();
  await asked.page.getByText(email).waitFor();
  const password = "rahasia-dedi-2026";
  gateway.secrets.add(password);
  await asked.page.getByLabel("New password", { exact: true }).fill(password);
  await asked.page.getByRole("button", { name: "Save the password" }).click();
  await asked.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await asked.close();
  const again = await visit(browser, gateway, { email, password });
  await again.close();
});

test("who came by a sign-in link and has a password is not asked", async () => {
  const email = "eka@toko.example";
  await person(gateway, email, "--account", account.id, "--role", "viewer");
  const known = await stranger();
  await known.page.goto(await linkOf(gateway, email));
  await known.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await known.goto("/settings");
  await known.page.getByText(/^Optional until/).waitFor();
  await known.close();
});
