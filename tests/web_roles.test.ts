// Permissions of each role, in the web app and by direct calls: the gateway decides, the app only
// hides controls.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { openBrowser, type Visitor } from "./support/browser.ts";
import { call, keyWith } from "./support/catalogue.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber } from "./support/numbers.ts";
import { person } from "./support/people.ts";
import { visit } from "./support/web_people.ts";

let gateway: Gateway;
let browser: Browser;
let account: Account;
let device: string;
let to: string;
let message: string;
let campaign: string; // A draft with one recipient.

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.create(), openBrowser()]);
  ({ account, device } = await shop(gateway));
  to = freshNumber();
  const body = { to, from: device, message: "Halo", Type: "text", delay: 3600 };
  message = (await account.send(body)).json.data.requestId;
  campaign = await draft();
  const key = await keyWith(account, ["campaigns:read", "campaigns:manage"]);
  for (const path of [`/v1/contacts/${to}`, `/v1/suppressions/${to}`]) {
    const answer = await call(gateway, { method: "PUT", path }, { key }, {});
    expect(answer.status, answer.text).toBe(200);
  }
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
});

async function draft(): Promise<string> {
  const key = await keyWith(account, ["campaigns:manage"]);
  const ask = async (path: string, body: unknown) => {
    const row = { method: "POST", path: `/v1/campaigns${path}` };
    const answer = await call(gateway, row, { key }, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.json as any;
  };
  const { id } = await ask("", { name: "Promo", devices: [device], message: "Rahasia {{kode}}" });
  await ask(`/${id}/recipients`, { recipients: [{ number: to, values: { kode: "sandi" } }] });
  return id;
}

async function member(role: string): Promise<Visitor> {
  const flags = ["--account", account.id, "--role", role];
  return visit(browser, gateway, await person(gateway, `${role}@toko.example`, ...flags));
}

/** The gateway's status for a call with the page's session. */
function answered(page: Page, method: string, path: string, body: unknown): Promise<number> {
  const call = { method, path, body: JSON.stringify(body) };
  return page.evaluate(async ({ method, path, body }) => {
    const headers = { "Content-Type": "application/json", "X-Merpati-Request": "1" };
    return (await fetch(path, { method, headers, body })).status;
  }, call);
}

const newcomer = { email: "a@b.example", role: "owner" };
const own = () => ({ account: account.id });
const calls: [string, () => [string, string, unknown]][] = [
  ["messages", () => ["POST", `/v1/messages/${message}/cancel`, {}]],
  ["campaigns", () => ["POST", `/v1/campaigns/${campaign}/pause`, {}]],
  ["campaign texts", () => ["POST", `/v1/campaigns/${campaign}/preview`, {}]],
  ["devices", () => ["POST", `/v1/devices/${device}/pause`, {}]],
  ["callbacks", () => ["POST", "/v1/callbacks/test", own()]],
  ["contacts", () => ["PUT", `/v1/contacts/${to}`, own()]],
  ["suppressions", () => ["PUT", `/v1/suppressions/${to}`, own()]],
  ["exports", () => ["GET", `/v1/contacts/export?account=${account.id}`, undefined]],
  ["keys", () => ["POST", "/v1/keys", { ...own(), name: "x" }]],
  ["people", () => ["POST", "/v1/account/people", { ...own(), ...newcomer }]],
  ["secret", () => ["POST", "/v1/account/secret", own()]],
  ["accounts", () => ["POST", "/v1/admin/accounts", { name: "x" }]],
  ["everybody", () => ["POST", "/v1/admin/people", { email: "c@d.example", admin: true }]],
];

const OF_PEOPLE = ["contacts", "suppressions", "exports"];
const OF_CAMPAIGNS = ["campaigns", "campaign texts", ...OF_PEOPLE];
const OF_OPERATORS = ["messages", "devices", "callbacks", ...OF_CAMPAIGNS];

describe.each([
  ["viewer", [], ["API keys", "All accounts", "People", "Server"]],
  ["operator", OF_OPERATORS, ["API keys", "All accounts", "Server"]],
] as [string, string[], string[]][])("a %s", (role, allowed, hidden) => {
  test("is refused what is not theirs, and is not offered it", async () => {
    const visitor = await member(role);
    const { page } = visitor;
    const navigation = page.getByRole("navigation");
    for (const name of hidden) {
      expect(await navigation.getByRole("link", { name, exact: true }).count(), name).toBe(0);
    }
    for (const path of ["/keys", "/accounts", "/people", "/server"]) {
      await page.goto(`/app${path}`);
      const missing = { level: 1, name: "Page not found" };
      await page.getByRole("heading", missing).waitFor();
    }
    await visitor.goto("/account");
    for (const name of ["Rotate the secret", "Add a person", "Save"]) {
      expect(await page.getByRole("button", { name }).count(), name).toBe(0);
    }
    for (const [name, call] of calls.filter(([name]) => !allowed.includes(name))) {
      expect(await answered(page, ...call()), name).toBe(403);
    }
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });
});

test("a viewer never sees a recipient's whole number, wherever it is shown", async () => {
  const email = "pembaca@toko.example";
  const flags = ["--account", account.id, "--role", "viewer"];
  const visitor = await visit(browser, gateway, await person(gateway, email, ...flags));
  const { page } = visitor;
  const texts: string[] = [];
  page.on("response", (response) => {
    if (!response.url().includes("/v1/")) return;
    response.text().then((text) => texts.push(text), () => undefined);
  });
  const paths = ["/", "/messages", `/messages/${message}`, "/callbacks", "/usage"];
  const people = ["/contacts", "/suppressions"];
  for (const path of [...paths, ...people, "/campaigns", `/campaigns/${campaign}`]) {
    await visitor.goto(path);
    expect(await page.locator("body").innerText(), path).not.toContain(to);
  }
  // Of a campaign: neither its text nor its values, no step of a draft, and nothing to act with.
  const recipients = page.getByRole("table", { name: "Recipients" });
  expect(await recipients.innerText()).toMatch(/\d+[*•]+\d+/);
  const acts = ["Pause", "Start now", "Further actions", "Download the report", "Next: Message"];
  for (const name of acts) {
    expect(await page.getByRole("button", { name }).count(), name).toBe(0);
    expect(await page.getByRole("link", { name }).count(), name).toBe(0);
  }
  const table = page.getByRole("table", { name: "Messages" });
  await visitor.goto("/messages");
  expect(await table.innerText()).toMatch(/\d+[*•]+\d+/);
  for (const text of texts) expect(text).not.toMatch(new RegExp(`${to}|Rahasia|sandi`));
  expect(texts.length).toBeGreaterThan(5);
  await visitor.close();
});
