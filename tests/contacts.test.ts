// Contacts and suppressions, and the page on which people refuse further campaigns.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { call, keyWith, SCOPES } from "./support/catalogue.ts";
import type { Json } from "./support/contract.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { person, PersonClient } from "./support/people.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let account: Account;
let device: string;
let key: string;
beforeAll(async () => {
  gateway = await Gateway.create();
  ({ account, device } = await shop(gateway, { credits: 100 }));
  key = await keyWith(account, SCOPES);
});
afterAll(() => gateway.close());

const ask = (method: string, path: string, body?: unknown, by = key, headers = {}) =>
  call(gateway, { method, path: `/v1${path}` }, { key: by, headers }, body);
async function done(method: string, path: string, body?: unknown, headers = {}): Promise<Json> {
  const answer = await ask(method, path, body, key, headers);
  expect(answer.status, `${method} ${path} ${answer.text}`).toBe(200);
  return answer.json;
}
const csv = { "content-type": "text/csv" };

describe("a contact", () => {
  const consent = { source: "formulir", at: "2026-11-01T00:00:00.000Z", text: "Ya" };

  test("is put, read with its tag, listed and removed", async () => {
    const number = freshNumber();
    const given = { name: "Ani", values: { kota: "Bandung" }, tags: ["vip", "baru"], consent };
    const stored = await done("PUT", `/contacts/0${number.slice(2)}`, given);
    expect(stored).toMatchObject({ ...given, number, tags: ["baru", "vip"] });
    const shown = await ask("GET", `/contacts/${number}`);
    expect(shown.json).toEqual(stored);
    const unchanged = { "if-none-match": shown.headers["etag"]! };
    expect((await ask("GET", `/contacts/${number}`, undefined, key, unchanged)).status).toBe(304);
    const late = { "if-match": '"x.y"' };
    expect((await ask("PUT", `/contacts/${number}`, {}, key, late)).status).toBe(412);
    const { items } = await done("GET", "/contacts?tag=vip&text=an");
    expect(items.map((one: Json) => one.number)).toContain(number);
    expect(await done("DELETE", `/contacts/${number}`)).toEqual({ number, removed: true });
    expect((await ask("DELETE", `/contacts/${number}`)).status).toBe(404);
    expect((await ask("GET", `/contacts/${number}`)).status).toBe(404);
  });

  test("is not replaced by somebody who means to add it", async () => {
    const number = freshNumber();
    const none = { "if-none-match": "*" };
    const added = await ask("PUT", `/contacts/${number}`, { name: "Ani" }, key, none);
    expect(added.status).toBe(200);
    const again = await ask("PUT", `/contacts/${number}`, { name: "Budi" }, key, none);
    expect(again.status).toBe(412);
    expect(await done("GET", `/contacts/${number}`)).toMatchObject({ name: "Ani" });
  });

  test.each([
    { values: { kota: 7 } },
    { tags: [""] },
    { tags: "vip" },
    { consent: { at: "besok" } },
    { colour: "red" },
  ])("refuses %j", async (fault) => {
    expect((await ask("PUT", `/contacts/${freshNumber()}`, fault)).status).toBe(400);
  });

  test("is imported with tags, merged and exported", async () => {
    const number = freshNumber();
    await done("PUT", `/contacts/${number}`, { name: "Lama", values: { kota: "Bogor" } });
    const list = `nomor,nama,poin\n${number},Baru,7\n${freshNumber()},Cici,8\nx,,\n`;
    const imported = await done("POST", "/contacts/import?tag=a&tag=b", list, csv);
    expect(imported).toMatchObject({ rows: 3, added: 1, merged: 1, invalid: 1 });
    expect(await done("GET", `/contacts/${number}`)).toMatchObject({
      name: "Baru", values: { kota: "Bogor", poin: "7" }, tags: ["a", "b"],
    });
    const exported = await ask("GET", "/contacts/export?tag=a");
    expect(exported.text.trim().split("\r\n")).toHaveLength(3);
    const lines = await ask("GET", "/contacts/export?tag=b&format=ndjson");
    expect(lines.text.trim().split("\n").map((line) => JSON.parse(line).name).sort()).toEqual([
      "Baru", "Cici",
    ]);
  });

  test("is the same after an export and an import elsewhere", async () => {
    const tag = `t${freshNumber()}`;
    const other = await shop(gateway, { credits: 100 });
    const by = await keyWith(other.account, SCOPES);
    const people = [
      { name: "Ani", values: { kota: "Solo, \"kota\"", "No HP": "x", name: "-5" }, consent },
      { name: "+62 Budi", values: { akun: "@budi", rumus: "=1;-2" }, consent: null },
    ];
    const numbers = [freshNumber(), freshNumber()].sort();
    for (const [place, number] of numbers.entries()) {
      await done("PUT", `/contacts/${number}`, { ...people[place], tags: [tag, "a b"] });
    }
    const exported = await ask("GET", `/contacts/export?tag=${tag}`);
    expect(exported.text.split("\r\n")[0]).toBe(
      "number,name,tags,consent_source,consent_at,consent_text,kota,No HP,name_2,akun,rumus",
    );
    const imported = await ask("POST", "/contacts/import", exported.text, by, csv);
    expect(imported.json).toMatchObject({ rows: 2, added: 2, invalid: 0 });
    for (const [place, number] of numbers.entries()) {
      const shown = (await ask("GET", `/contacts/${number}`, undefined, by)).json;
      const { name: renamed, ...values } = people[place]!.values as Json;
      expect(shown).toMatchObject({ name: people[place]!.name, tags: ["a b", tag].sort() });
      expect(shown.values).toEqual(renamed ? { ...values, name_2: renamed } : values);
      expect(shown.consent).toEqual(people[place]!.consent);
    }
    const again = await ask("GET", "/contacts/export", undefined, by);
    expect(again.text).toBe(exported.text);
  });

  test("is the audience of a campaign by its tag", async () => {
    const tag = `t${freshNumber()}`;
    await done("POST", `/contacts/import?tag=${tag}`, `${freshNumber()}\n${freshNumber()}\n`, csv);
    const made = await done("POST", "/campaigns", { name: "Tag", devices: [device] });
    const added = await done("POST", `/campaigns/${made.id}/recipients`, { tags: [tag] });
    expect(added).toMatchObject({ rows: 2, added: 2 });
  });
});

test("a person is erased everywhere, and only number and counts stay", async () => {
  const number = freshNumber();
  const sent = await account.send({ to: number, from: device, message: freshText(), Type: "text" });
  const id = sent.json.data.requestId;
  await waitFor("it to be sent", async () => {
    return (await done("GET", `/messages/${id}`)).state === "sent";
  });
  const made = await done("POST", "/campaigns", { name: "Hapus", devices: [device], message: "x" });
  await done("POST", `/campaigns/${made.id}/recipients`, {
    recipients: [{ number, values: { nama: "Ani" } }],
  });
  await done("PUT", `/contacts/${number}`, { name: "Ani" });
  const erased = await done("DELETE", `/contacts/${number}?everywhere=true`);
  expect(erased).toEqual({ number, removed: true });
  expect((await done("GET", `/messages/${id}?body=true`)).body).toBe("");
  const { items } = await done("GET", `/campaigns/${made.id}/recipients`);
  expect(items).toMatchObject([{ number, state: "cancelled", values: { nama: "" } }]);
  expect((await done("DELETE", `/contacts/${number}?everywhere=true`)).removed).toBe(false);
  const log = JSON.stringify(await done("GET", `/account/log?object=${number}`));
  expect(log).toContain("DELETE /v1/contacts/{}");
  expect(log).not.toContain("Ani");
});

test("suppressions keep campaigns from a number until they are removed", async () => {
  const number = freshNumber();
  const stored = await done("PUT", `/suppressions/${number}`, {});
  expect(stored).toMatchObject({ number, reason: "manual", campaign: null });
  const list = `${number}\n${freshNumber()}\n`;
  const imported = await done("POST", "/suppressions/import", list, csv);
  expect(imported).toMatchObject({ rows: 2, added: 1, duplicate: 1, invalid: 0 });
  const made = await done("POST", "/campaigns", { name: "Blokir", devices: [device] });
  const added = await done("POST", `/campaigns/${made.id}/recipients`, { numbers: [number] });
  expect(added).toMatchObject({ added: 0, suppressed: 1 });
  const exported = await ask("GET", "/suppressions/export");
  expect(exported.text).toContain(`${number},manual,`);
  const page = await done("GET", "/suppressions?limit=1");
  expect(page.items).toHaveLength(1);
  expect(Buffer.from(page.next, "base64url").toString()).not.toContain(page.items[0].number);
  expect((await done("GET", `/suppressions?limit=1&cursor=${page.next}`)).items).toHaveLength(1);
  expect(await done("GET", `/suppressions/${number}`)).toEqual(stored);
  const found = await done("GET", `/suppressions?number=${number.slice(0, -1)}&limit=1000`);
  expect(found.items).toContainEqual(stored);
  for (const one of found.items) expect(one.number.startsWith(number.slice(0, -1))).toBe(true);
  for (const digits of ["081", "62x", "", "1234567890123456"]) {
    expect((await ask("GET", `/suppressions?number=${digits}`)).status, digits).toBe(400);
  }
  expect(await done("DELETE", `/suppressions/${number}`)).toEqual({ number, removed: true });
  expect((await ask("GET", `/suppressions/${number}`)).status).toBe(404);
  expect((await ask("DELETE", `/suppressions/${number}`)).status).toBe(404);
});

test("a viewer sees no number, also not by asking for one", async () => {
  const number = freshNumber();
  await done("PUT", `/contacts/${number}`, { name: "Ani", values: { kota: "Bogor" } });
  const flags = ["--account", account.id, "--role", "viewer"];
  const who = await person(gateway, "mata@toko.example", ...flags);
  const viewer = await PersonClient.signedIn(gateway, who);
  const { items } = (await viewer.ask("GET", "/contacts")).json;
  expect(items.every((one: Json) => one.values === null && one.number.includes("*"))).toBe(true);
  for (const path of [`/contacts/${number}`, "/contacts?text=8", "/contacts/export",
    "/suppressions/export", "/suppressions?number=62", `/suppressions/${number}`]) {
    expect((await viewer.ask("GET", path)).status, path).toBe(403);
  }
});

describe("the page of a link to opt out", () => {
  let path: string;
  let number: string;
  beforeAll(async () => {
    number = freshNumber();
    const body = { name: "Tautan", devices: [device], message: "{{optout_url}}" };
    const made = await done("POST", "/campaigns", body);
    await done("POST", `/campaigns/${made.id}/recipients`, { numbers: [number] });
    const { text } = await done("POST", `/campaigns/${made.id}/preview`, { row: 1 });
    path = new URL(text).pathname;
  });
  const page = (method: string, body?: string, language = "id", at = path) =>
    gateway.request({ method, path: at, headers: { "accept-language": language }, body });
  const suppressed = async () => {
    const { items } = await done("GET", "/suppressions?limit=1000");
    return items.find((one: Json) => one.number === number);
  };

  test("shows who writes to which number, and changes nothing", async () => {
    await done("PATCH", "/account", { name: "Toko <Ani> & \"Budi\"" });
    const shown = await page("GET");
    expect(shown.status).toBe(200);
    expect(shown.text).toContain("Toko &lt;Ani&gt; &amp; &quot;Budi&quot;");
    expect(shown.text).toContain("Berhenti menerima pesan");
    expect(shown.text).not.toContain(number);
    expect(shown.text).not.toContain("<script");
    expect(shown.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(shown.headers["cache-control"]).toBe("no-store");
    expect(shown.headers["x-robots-tag"]).toContain("noindex");
    expect((await page("GET", undefined, "en")).text).toContain("Stop messages");
    expect((await page("GET", undefined, "en", `${path}?lang=id`)).text).toContain("Berhenti");
    expect(await suppressed()).toBeUndefined();
  });

  test("opts out by one POST without a body, and takes it back, as often as asked", async () => {
    for (const body of [undefined, "List-Unsubscribe=One-Click"]) {
      const left = await page("POST", body);
      expect(left.status).toBe(200);
      expect(left.text).toContain("Anda sudah berhenti");
      expect(await suppressed()).toMatchObject({ reason: "opt_out" });
    }
    expect((await page("GET")).text).toContain("Terima pesan lagi");
    for (let turn = 0; turn < 2; ++turn) {
      expect((await page("POST", "do=in")).text).toContain("menerima pesan kampanye lagi");
      expect(await suppressed()).toBeUndefined();
    }
  });

  test("does not lift what the account has decided", async () => {
    await done("PUT", `/suppressions/${number}`, {});
    await page("POST", "do=in");
    expect(await suppressed()).toMatchObject({ reason: "manual" });
    await done("DELETE", `/suppressions/${number}`);
  });

  test("answers bad links alike, and after many only those with 429", async () => {
    const last = path.at(-1) === "A" ? "B" : "A";
    const answers = [];
    for (let turn = 0; turn < 12; ++turn) {
      answers.push(await page("GET", undefined, "en", "/o/abc"));
      answers.push(await page("POST", undefined, "en", path.slice(0, -1) + last));
    }
    const bad = answers.filter(({ status }) => status === 400);
    expect(bad).toHaveLength(20);
    expect(new Set(bad.map(({ text }) => text)).size).toBe(1);
    const many = answers.slice(20);
    expect(many.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
    expect(Number(many[0]!.headers["retry-after"])).toBeGreaterThan(0);
    expect((await page("GET")).status).toBe(200);
  });
});
