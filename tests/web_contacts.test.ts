// Contacts and suppressions in the web app.
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { barriers, openBrowser, soon, type Visitor } from "./support/browser.ts";
import { call, keyWith } from "./support/catalogue.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { person } from "./support/people.ts";
import { waitFor } from "./support/wait.ts";
import { fromRow, visit } from "./support/web_people.ts";

let gateway: Gateway;
let browser: Browser;
let account: Account;
let device: string;
let key: string;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.create(), openBrowser()]);
  ({ account, device } = await shop(gateway, { credits: 1_000 }));
  key = await keyWith(account, ["campaigns:read", "campaigns:manage", "messages:read"]);
  const flags = ["--account", account.id, "--role", "operator"];
  visitor = await visit(browser, gateway, await person(gateway, "kasir@toko.example", ...flags));
  page = visitor.page;
});
afterAll(async () => {
  expect(visitor.complaints).toEqual([]);
  await browser.close();
  await gateway.close();
});

const ask = (method: string, path: string, body?: unknown, type = "application/json") =>
  call(gateway, { method, path: `/v1${path}` }, { key, headers: { "content-type": type } }, body);

async function done(method: string, path: string, body?: unknown, type?: string): Promise<any> {
  const answer = await ask(method, path, body, type);
  expect(answer.status, `${method} ${path} ${answer.text}`).toBe(200);
  return answer.json;
}

const dialog = (name: string | RegExp): Locator => page.getByRole("dialog", { name });
const press = (name: string, within: Locator | Page = page) =>
  within.getByRole("button", { name, exact: true }).click();

async function choose(within: Locator, name: string, text: string): Promise<void> {
  await within.locator('input[type="file"]').setInputFiles({
    name,
    mimeType: "text/csv",
    buffer: Buffer.from(text),
  });
}

async function downloaded(item: string): Promise<string> {
  const loading = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: item }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await loading).createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const figure = (within: Locator, name: string) =>
  within.locator("dl > div").filter({ hasText: name }).locator("dd").first();

test("an account without contacts and suppressions is told how they come", async () => {
  await visitor.goto("/contacts");
  await page.getByText("No contacts yet").waitFor();
  expect(await barriers(page)).toEqual([]);
  await visitor.goto("/suppressions");
  await page.getByText("No numbers yet").waitFor();
  expect(await barriers(page)).toEqual([]);
});

test("a contact is added with tags, values and consent, and is shown beside the list", async () => {
  await visitor.goto("/contacts");
  await press("Add a contact", page.getByRole("main"));
  const form = dialog("Add a contact");
  await form.getByLabel("Number", { exact: true }).fill("0812-7700-1234");
  await form.getByLabel("Name", { exact: true }).fill("Ani");
  await form.getByLabel("Tags", { exact: true }).fill("vip");
  await page.keyboard.press("Enter");
  await press("Add a value", form);
  await form.getByLabel("Name of column 1").fill("kota");
  await form.getByLabel("Text of kota").fill("Bandung");
  await form.getByLabel("Consent: where it comes from").fill("formulir di toko");
  await form.getByLabel("What was agreed to").fill("Kabar promo");
  expect(await barriers(page)).toEqual([]);
  await press("Save", form);
  const drawer = dialog("Contact");
  for (const text of ["Ani", "vip", "Bandung", "formulir di toko", "Kabar promo"]) {
    await drawer.getByText(text, { exact: true }).first().waitFor();
  }
  expect(await barriers(page)).toEqual([]);
  expect(await done("GET", "/contacts/6281277001234")).toMatchObject({
    name: "Ani",
    tags: ["vip"],
    values: { kota: "Bandung" },
    consent: { source: "formulir di toko", text: "Kabar promo" },
  });
});

test("a contact that somebody else changes meanwhile keeps both changes", async () => {
  const path = "/contacts/6281277001234";
  await visitor.goto(path);
  await press("Edit the contact");
  const form = dialog("Edit the contact");
  await form.getByLabel("Name", { exact: true }).fill("Ani Sari");
  const { consent } = await done("GET", path);
  const other = { name: "Ani", tags: ["solo", "vip"], values: { kota: "Solo" }, consent };
  await done("PUT", path, other);
  await form.getByLabel("Text of kota").fill("Bogor");
  await press("Save", form);
  await form.getByText(/Not saved: someone else changed this contact first/).waitFor();
  await form.getByText("kota: Solo").waitFor();
  expect(await form.getByLabel("Name", { exact: true }).inputValue()).toBe("Ani Sari");
  expect(await form.getByLabel("Text of kota").inputValue()).toBe("Bogor");
  expect(await done("GET", path)).toMatchObject(other);
  await press("Save", form);
  await form.waitFor({ state: "hidden" });
  expect(await done("GET", path)).toMatchObject({
    name: "Ani Sari",
    tags: ["solo", "vip"],
    values: { kota: "Bogor" },
    consent,
  });
});

test("a number that is there already is not replaced by adding it", async () => {
  await visitor.goto("/contacts");
  await press("Add a contact", page.getByRole("main"));
  const form = dialog("Add a contact");
  await form.getByLabel("Number", { exact: true }).fill("0812 7700 1234");
  await form.getByLabel("Tags", { exact: true }).fill("promo");
  await page.keyboard.press("Enter");
  await press("Save", form);
  const merged = dialog("Edit the contact");
  await merged.getByText(/Not saved: there is a contact with this number/).waitFor();
  expect(await merged.getByLabel("Name", { exact: true }).inputValue()).toBe("Ani Sari");
  await press("Save", merged);
  await merged.waitFor({ state: "hidden" });
  const stored = await done("GET", "/contacts/6281277001234");
  expect(stored).toMatchObject({ name: "Ani Sari", tags: ["promo", "solo", "vip"] });
});

test("what the form cannot save is said, and stays in it", async () => {
  await visitor.goto("/contacts");
  await press("Add a contact", page.getByRole("main"));
  const form = dialog("Add a contact");
  await form.getByLabel("Number", { exact: true }).fill("0812 Ani");
  await form.getByLabel("Name", { exact: true }).fill("Tetap");
  await press("Save", form);
  await form.getByText("A phone number has only digits.").waitFor();
  await form.getByLabel("Number", { exact: true }).fill(freshNumber());
  await form.getByLabel("What was agreed to").fill("Ya");
  await press("Save", form);
  await form.getByText(/Write where the consent comes from/).waitFor();
  expect(await form.getByLabel("Name", { exact: true }).inputValue()).toBe("Tetap");
  await press("Cancel", form);
});

test("a list is imported with tags, and says what became of its rows", async () => {
  await visitor.goto("/contacts");
  await press("Import", page.getByRole("main"));
  const window = dialog("Import contacts");
  const rows = ["nomor;nama;kota", "0812-7700-2001;Budi;Solo", "0812-7700-2002;Cici;Garut"];
  const more = ["6281277001234;;Depok", "6.28E+12;Dodi;Bogor", "0812-7700-2001;;"];
  await choose(window, "pelanggan.csv", [...rows, ...more].join("\r\n"));
  await window.getByLabel("Tags", { exact: true }).fill("impor");
  await page.keyboard.press("Enter");
  expect(await barriers(page)).toEqual([]);
  await press("Import", window);
  await window.getByText(/Done\. Columns:/).waitFor();
  const counts = { Rows: 5, Added: 2, Completed: 1, "Not a number": 1, Repeated: 1 };
  for (const [name, value] of Object.entries(counts)) {
    await soon(() => figure(window, name).innerText()).toBe(`${value}`);
  }
  expect(await barriers(page)).toEqual([]);
  await window.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("row", { name: /Budi/ }).waitFor();
  expect(await done("GET", "/contacts/6281277001234")).toMatchObject({
    name: "Ani Sari",
    values: { kota: "Depok" },
  });
});

test("a file without numbers is refused, with what to do", async () => {
  await visitor.goto("/contacts");
  await press("Import", page.getByRole("main"));
  const window = dialog("Import contacts");
  await choose(window, "lain.csv", "nama,kota\nAni,Bandung\n");
  await press("Import", window);
  await window.getByRole("alert").waitFor();
  await window.getByText(/not read to its end/).waitFor();
  await page.keyboard.press("Escape");
});

test("contacts are found by name, number and tag, and exported by tag", async () => {
  await visitor.goto("/contacts");
  const table = page.getByRole("table", { name: "Contacts" });
  const shown = async () => (await table.getByRole("row").allInnerTexts()).slice(1).join("\n");
  for (const [label, typed, found, not] of [
    ["Name or number", "budi", "Budi", "Cici"],
    ["Name or number", "0812-7700-2002", "Cici", "Budi"],
    ["Tag", "vip", "Ani Sari", "Budi"],
  ] as const) {
    await visitor.goto("/contacts");
    await page.getByLabel(label, { exact: true }).fill(typed);
    await page.keyboard.press("Enter");
    const fits = (text: string) => text.includes(found) && !text.includes(not);
    await soon(async () => fits(await shown())).toBe(true);
  }
  await press("Export");
  const text = await downloaded("CSV, for spreadsheets");
  expect(text).toContain("Ani Sari");
  expect(text).not.toContain("Budi");
});

test("a list follows changes without a reload", async () => {
  await visitor.goto("/contacts");
  await done("PUT", `/contacts/${freshNumber()}`, { name: "Dari program" });
  await page.getByRole("row", { name: /Dari program/ }).waitFor();
});

test("a message's number leads to the contact, and back to the messages", async () => {
  const body = { to: "6281277001234", from: device, message: freshText(), Type: "text" };
  const { requestId } = (await account.send(body)).json.data;
  await waitFor("the message", async () => {
    return (await done("GET", `/messages/${requestId}`)).state === "sent";
  });
  await visitor.goto(`/messages/${requestId}`);
  await dialog("Message").getByRole("link", { name: "6281277001234" }).click();
  await dialog("Contact").getByText("Ani Sari").waitFor();
  await dialog("Contact").getByRole("link", { name: "Messages to this number" }).click();
  await page.waitForURL(/messages\?to=6281277001234/);
});

test("a person is removed everywhere, after it was said what that erases", async () => {
  const number = "6281277001234";
  const text = { message: "Halo {{kota}}", purpose: "transactional" };
  const { id } = await done("POST", "/campaigns", { name: "Hapus", devices: [device], ...text });
  const recipients = [{ number, values: { kota: "Depok" } }];
  await done("POST", `/campaigns/${id}/recipients`, { recipients });
  await visitor.goto(`/contacts/${number}`);
  await press("Remove everywhere");
  const window = dialog("Remove everywhere");
  await window.getByText("the person's values from all campaigns of this account;").waitFor();
  await window.getByText(/The number, the states of messages and the counts/).waitFor();
  expect(await barriers(page)).toEqual([]);
  await window.getByLabel(`Type ${number} to continue`).fill(number);
  await press("Erase all of it", window);
  await page.getByText("The person's data were erased").waitFor();
  expect((await ask("GET", `/contacts/${number}`)).status).toBe(404);
  const { items } = await done("GET", `/campaigns/${id}/recipients`);
  expect(items).toMatchObject([{ number, state: "cancelled", values: { kota: "" } }]);
  await visitor.goto(`/contacts/${number}`);
  await page.getByText("There is no contact with this number.").waitFor();
});

test("a contact is removed by typing its number", async () => {
  await visitor.goto("/contacts/6281277002002");
  await press("Remove");
  const window = dialog("Remove the contact");
  await window.getByLabel(/to continue/).fill("6281277002002");
  await press("Remove", window);
  await page.getByText("The contact was removed").waitFor();
  await page.getByRole("row", { name: /Cici/ }).waitFor({ state: "detached" });
});

test("a number is suppressed and allowed again", async () => {
  await visitor.goto("/suppressions");
  await press("Add a number", page.getByRole("main"));
  const form = dialog("Suppress a number");
  await form.getByLabel("Number").fill("0812-7700-3001");
  expect(await barriers(page)).toEqual([]);
  await press("Add a number", form);
  const row = page.getByRole("row", { name: /6281277003001/ });
  await row.getByText("Added here").waitFor();
  await fromRow(page, /6281277003001/, "Allow again");
  const window = dialog("Write to 6281277003001 again");
  await press("Allow again", window);
  await page.getByText("Campaigns can send to this number again").waitFor();
  await page.getByText("No numbers yet").waitFor();
});

test("somebody who refused is allowed again only by typing the number", async () => {
  const number = "6281277003002";
  await done("PUT", `/suppressions/${number}`, { reason: "opt_out" });
  await visitor.goto("/suppressions");
  await page.getByText("The person refused messages").waitFor();
  await fromRow(page, new RegExp(number), "Allow again");
  const window = dialog(`Write to ${number} again`);
  await window.getByText(/This person asked not to be written to/).waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await window.getByRole("button", { name: "Allow again" }).isDisabled()).toBe(true);
  await window.getByLabel(`Type ${number} to continue`).fill(number);
  await press("Allow again", window);
  await page.getByText("Campaigns can send to this number again").waitFor();
});

test("the campaign to which somebody refused is named", async () => {
  const text = { message: freshText(), purpose: "transactional", optout: "keyword" };
  const { id } = await done("POST", "/campaigns", { name: "Promo", devices: [device], ...text });
  await done("POST", `/campaigns/${id}/recipients`, { numbers: ["6281277997003"] });
  await done("POST", `/campaigns/${id}/start`, {});
  await visitor.goto("/suppressions");
  const row = page.getByRole("row", { name: /6281277997003/ });
  await row.getByRole("link", { name: "Promo" }).waitFor();
  await row.getByText("The person refused messages").waitFor();
});

test("suppressions are imported and exported", async () => {
  await visitor.goto("/suppressions");
  await press("Import", page.getByRole("main"));
  const window = dialog("Import suppressions");
  await choose(window, "daftar.csv", "nomor\n0812-7700-3003\n0812-7700-3004\nx\n");
  await press("Import", window);
  await window.getByText("Done.").waitFor();
  await soon(() => figure(window, "Added").innerText()).toBe("2");
  await window.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("row", { name: /6281277003004/ }).waitFor();
  await press("Export");
  expect(await downloaded("CSV, for spreadsheets")).toContain("6281277003003,import,");
});

test("a viewer sees masked numbers, without actions", async () => {
  const flags = ["--account", account.id, "--role", "viewer"];
  const who = await person(gateway, "pembaca@toko.example", ...flags);
  const viewer = await visit(browser, gateway, who);
  for (const path of ["/contacts", "/suppressions"]) {
    await viewer.goto(path);
    const main = viewer.page.getByRole("main");
    const table = main.getByRole("table");
    await table.waitFor();
    expect(await table.innerText(), path).toMatch(/\d+[*•]+\d+/);
    expect(await main.innerText(), path).not.toMatch(/62812770\d{5}/);
    for (const name of ["Import", "Export", /^Add a/, /^Actions for/]) {
      expect(await main.getByRole("button", { name }).count(), `${path} ${name}`).toBe(0);
    }
    expect(await main.getByLabel("Name or number").count()).toBe(0);
    expect(await barriers(viewer.page), path).toEqual([]);
  }
  await viewer.goto("/contacts?text=budi");
  await viewer.page.getByText("Budi").waitFor();
  expect(viewer.complaints).toEqual([]);
  await viewer.close();
});
