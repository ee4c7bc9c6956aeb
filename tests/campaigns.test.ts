// Campaigns: from the draft to the last recipient, and who may do what.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { call, keyWith, SCOPES } from "./support/catalogue.ts";
import type { Answer, Json } from "./support/contract.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { person, PersonClient } from "./support/people.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let account: Account;
let device: string;
let key: string; // With every scope but admin.
beforeAll(async () => {
  gateway = await Gateway.create();
  ({ account, device } = await shop(gateway, { credits: 1_000 }));
  key = await keyWith(account, SCOPES);
});
afterAll(() => gateway.close());

type Asked = Answer & { json: Json };
const ask = (method: string, path: string, body?: unknown, by = key, headers = {}) =>
  call(gateway, { method, path: `/v1${path}` }, { key: by, headers }, body);

async function done(method: string, path: string, body?: unknown, by = key): Promise<Json> {
  const answer = await ask(method, path, body, by);
  expect(answer.status, `${method} ${path} ${answer.text}`).toBe(200);
  return answer.json;
}

const upload = (id: string, csv: string, query = ""): Promise<Asked> =>
  ask("POST", `/campaigns/${id}/recipients${query}`, csv, key, { "content-type": "text/csv" });

const plain = (more = {}) => ({
  name: "Promo",
  devices: [device],
  message: `${freshText()} {{nama|Kak}}, berhenti: {{optout_url}}`,
  consent: "Formulir pelanggan",
  quiet_hours: null,
  ...more,
});
const draft = async (more = {}): Promise<Json> => done("POST", "/campaigns", plain(more));

async function withRecipients(count: number, more = {}): Promise<Json> {
  const made = await draft(more);
  const rows = Array.from({ length: count }, () => `${freshNumber()},Ani`);
  expect((await upload(made.id, `nomor,nama\n${rows.join("\n")}\n`)).status).toBe(200);
  return done("GET", `/campaigns/${made.id}`);
}

async function until(id: string, state: string): Promise<Json> {
  return waitFor(`${id} to be ${state}`, async () => {
    const shown = await done("GET", `/campaigns/${id}`);
    return shown.state === state && shown;
  });
}

describe("a new campaign", () => {
  test("has the defaults of its purpose", async () => {
    const { name, devices } = plain();
    const marketing = await done("POST", "/campaigns", { name, devices });
    expect(marketing).toMatchObject({
      account: account.id,
      state: "draft",
      reason: null,
      purpose: "marketing",
      message: null,
      optout: "link",
      quiet_hours: { from: "20:00", to: "08:00" },
      timezone: "Asia/Jakarta",
      counts: { total: 0, pending: 0 },
    });
    const other = await done("POST", "/campaigns", { name, devices, purpose: "transactional" });
    expect(other).toMatchObject({ optout: "none", quiet_hours: null });
  });

  test("keeps all that is given", async () => {
    const first = await draft();
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const given = {
      name: "Lengkap",
      purpose: "transactional",
      variants: [{ message: "Halo {a|b}", weight: 3 }, { message: "Hai" }],
      media: { column: "foto" },
      typing: true,
      devices: [`0${device.slice(2)}`],
      pace: { per_minute: 30 },
      quiet_hours: { from: "21:30", to: "06:00" },
      timezone: "Asia/Makassar",
      finish_by: `${day}T09:00`,
      exclude: { campaigns: [first.id], contacted_within_days: 7 },
      frequency: { messages: 2, days: 7 },
      stop_rules: { failures_in_row: 5 },
      optout: "keyword",
      consent: "Pelanggan\ndi toko",
      callback: "https://toko.example.com/status",
    };
    const made = await done("POST", "/campaigns", given);
    expect(made).toMatchObject({
      ...given,
      devices: [device],
      variants: [{ message: "Halo {a|b}", weight: 3 }, { message: "Hai", weight: 1 }],
      finish_by: `${day}T01:00:00.000Z`,
      stop_rules: { failures_in_row: 5, unregistered_percent: null, opt_outs_per_hundred: null },
      message: null,
    });
  });

  test.each([
    [{ devices: undefined }, "devices"],
    [{ name: "" }, "name"],
    [{ devices: [freshNumber()] }, ""],
    [{ colour: "red" }, ""],
    [{ variants: [{ message: "a" }] }, "message"],
    [{ pace: { per_minute: 0 } }, "pace.per_minute"],
    [{ pace: { per_minute: 1, per_hour: 1 } }, "pace"],
    [{ quiet_hours: { from: "24:00", to: "08:00" } }, "quiet_hours.from"],
    [{ timezone: "Asia/Atlantis" }, "timezone"],
    [{ schedule_at: "2001-01-01T00:00:00Z" }, ""],
    [{ schedule_at: "besok" }, ""],
    [{ finish_by: "2099-01-31T09:00" }, ""],
    [{ media: { url: "https://a.example", column: "b" } }, "media.url"],
    [{ exclude: {} }, "exclude.campaigns"],
    [{ frequency: { messages: 1 } }, "frequency.days"],
    [{ callback: "http://127.0.0.1/" }, "callback"],
  ])("refuses %j", async (fault, field) => {
    const refused = await ask("POST", "/campaigns", plain(fault));
    expect(refused.status, refused.text).toBe(400);
    if (field) expect(refused.json.errors[0].field).toBe(field);
  });
});

test("a campaign is created, filled, previewed, checked and sent to all", async () => {
  const made = await draft();
  const numbers = [freshNumber(), freshNumber(), freshNumber()];
  const [first, second] = [numbers[0], `0${numbers[1]!.slice(2)}`];
  const csv = `Nomor;Nama\n${first};Ani\n${second};\n${first};Ani\nx;Budi\n`;
  const uploaded = await upload(made.id, csv);
  expect(uploaded.json).toEqual({
    rows: 4, added: 2, invalid: 1, duplicate: 1, suppressed: 0, columns: ["Nomor", "Nama"],
  });
  const more = await done("POST", `/campaigns/${made.id}/recipients`, {
    recipients: [{ number: numbers[2], values: { Nama: "Cici" } }],
  });
  expect(more).toMatchObject({ rows: 1, added: 1 });
  const preview = await done("POST", `/campaigns/${made.id}/preview`, { row: 1 });
  expect(preview.text).toContain(" Ani, berhenti: http");
  expect(preview).toMatchObject({ variant: null, media: null, problems: [] });
  const values = await done("POST", `/campaigns/${made.id}/preview`, { values: {} });
  expect(values.text).toContain(" Kak, berhenti: ");
  const check = await done("POST", `/campaigns/${made.id}/check`);
  expect(check).toMatchObject({ ready: true, recipients: 3, credit: 3 });
  expect((await done("POST", `/campaigns/${made.id}/start`)).state).toBe("running");
  const ended = await until(made.id, "finished");
  expect(ended.counts).toMatchObject({ total: 5, sent: 3, skipped: 2, pending: 0, queued: 0 });
  const { items } = await done("GET", `/campaigns/${made.id}/recipients`);
  expect(items.map((one: Json) => [one.row, one.state, one.reason])).toEqual([
    [1, "sent", null], [2, "sent", null], [3, "skipped", "duplicate"], [4, "skipped", "invalid"],
    [5, "sent", null],
  ]);
  expect(items[0]).toMatchObject({ number: numbers[0], device, values: { Nama: "Ani" } });
  const message = await done("GET", `/messages/${items[0].message}`);
  expect(message).toMatchObject({ campaign: made.id, to: numbers[0], test: false });
  const skipped = await done("GET", `/campaigns/${made.id}/recipients?reason=invalid`);
  expect(skipped.items).toMatchObject([{ row: 4, number: null, original: "x" }]);
  const exported = await ask("GET", `/campaigns/${made.id}/recipients/export?state=sent`);
  expect(exported.text.split("\r\n")[0]).toBe(
    "row,number,original,state,reason,Nomor,Nama,variant,device,message,code,at",
  );
  expect(exported.text.trim().split("\r\n")).toHaveLength(4);
  const lines = await ask("GET", `/campaigns/${made.id}/recipients/export?format=ndjson`);
  const inLines = lines.text.trim().split("\n").map((line) => JSON.parse(line).row);
  expect(inLines).toEqual([1, 2, 3, 4, 5]);
  const page = await done("GET", `/campaigns/${made.id}/recipients?limit=2`);
  const next = await done("GET", `/campaigns/${made.id}/recipients?limit=2&cursor=${page.next}`);
  expect(next.items[0].row).toBe(3);
});

describe("a campaign that is not ready", () => {
  test("does not start, and says why", async () => {
    const made = await draft({ consent: null });
    const refused = await ask("POST", `/campaigns/${made.id}/start`);
    expect(refused.status).toBe(409);
    expect(refused.json.problems.map((one: Json) => one.code)).toEqual(
      expect.arrayContaining(["no_recipients", "consent"]),
    );
    const check = await done("POST", `/campaigns/${made.id}/check`);
    expect(check.ready).toBe(false);
  });

  test("says it in the reader's language", async () => {
    const made = await draft();
    const indonesian = { "accept-language": "id" };
    const refused = await ask("POST", `/campaigns/${made.id}/start`, {}, key, indonesian);
    expect(refused.json.detail).toContain("belum siap dimulai");
    expect(refused.json.problems[0].detail).not.toMatch(/\b(the|has|nobody)\b/);
  });
});

describe("while it runs", () => {
  test("it pauses, resumes and is cancelled, each as often as asked", async () => {
    const made = await withRecipients(30, { pace: { per_minute: 60 } });
    await done("POST", `/campaigns/${made.id}/start`);
    const running = await ask("POST", `/campaigns/${made.id}/start`);
    expect(running.json.state).toBe("running");
    for (let turn = 0; turn < 2; ++turn) {
      const paused = await done("POST", `/campaigns/${made.id}/pause`);
      expect(paused).toMatchObject({ state: "paused", reason: "asked" });
      expect(paused.counts.queued).toBeLessThan(2); // A send under way ends; all others are back.
    }
    await waitFor("the send under way to end", async () => {
      const { counts } = await done("GET", `/campaigns/${made.id}`);
      return counts.queued === 0;
    });
    const changed = await done("PATCH", `/campaigns/${made.id}`, { pace: { per_minute: 90 } });
    expect(changed.pace).toEqual({ per_minute: 90 });
    const content = await ask("PATCH", `/campaigns/${made.id}`, { message: "x" });
    expect(content.status).toBe(409);
    expect((await done("PATCH", `/campaigns/${made.id}`, { pace: null })).pace).toBeNull();
    const slow = { pace: { per_minute: 60 } }; // Else all may be sent before it is cancelled.
    expect(await done("POST", `/campaigns/${made.id}/resume`, slow)).toMatchObject(slow);
    expect((await ask("DELETE", `/campaigns/${made.id}`)).status).toBe(409);
    for (let turn = 0; turn < 2; ++turn) {
      expect((await done("POST", `/campaigns/${made.id}/cancel`)).state).toBe("cancelled");
    }
    await waitFor("its rows to be cancelled", async () => {
      const { counts } = await done("GET", `/campaigns/${made.id}`);
      return counts.pending + counts.queued === 0;
    });
    const again = await done("POST", `/campaigns/${made.id}/clone`, { recipients: true });
    expect(again).toMatchObject({ state: "draft", counts: { total: 30, pending: 30 } });
    await done("DELETE", `/campaigns/${made.id}`);
    expect((await ask("GET", `/campaigns/${made.id}`)).status).toBe(404);
  });

  test("its device cannot be removed", async () => {
    const made = await withRecipients(5, { pace: { per_minute: 1 } });
    await done("POST", `/campaigns/${made.id}/start`);
    expect((await ask("DELETE", `/devices/${device}`)).status).toBe(409);
    await done("POST", `/campaigns/${made.id}/cancel`);
  });
});

test("a failed recipient is pending again after a retry", async () => {
  const made = await draft();
  const gone = `628${freshNumber().slice(3, 8)}991001`;
  await upload(made.id, `nomor,nama\n${gone},Ani\n${freshNumber()},Budi\n`);
  await done("POST", `/campaigns/${made.id}/start`);
  expect((await until(made.id, "finished")).counts).toMatchObject({ sent: 1, failed: 1 });
  const { items } = await done("GET", `/campaigns/${made.id}/recipients?state=failed`);
  expect(items).toMatchObject([{ number: gone, code: 1001 }]);
  const again = { scope: "failed", code: 1001 };
  const retried = await done("POST", `/campaigns/${made.id}/retry`, again);
  expect(retried).toMatchObject({ state: "paused", reason: "asked", counts: { pending: 1 } });
  // By itself it would return to the campaign at once.
  const alone = await ask("POST", `/messages/${items[0].message}/retry`);
  expect(alone.status).toBe(409);
  expect(alone.json.detail).toContain("resume it first");
  await done("POST", `/campaigns/${made.id}/resume`);
  await until(made.id, "finished");
});

describe("a later start", () => {
  test("is scheduled, and taken back by schedule_at null", async () => {
    const made = await withRecipients(1);
    const at = "2099-01-31T09:00:00";
    const scheduled = await done("POST", `/campaigns/${made.id}/start`, { at });
    const inUtc = "2099-01-31T02:00:00.000Z";
    expect(scheduled).toMatchObject({ state: "scheduled", schedule_at: inUtc });
    const back = await done("PATCH", `/campaigns/${made.id}`, { schedule_at: null });
    expect(back).toMatchObject({ state: "draft", schedule_at: null });
    const past = await ask("POST", `/campaigns/${made.id}/start`, { at: "2001-01-31T09:00:00" });
    expect(past.status).toBe(400);
  });

  test("is what a draft with a time waits for", async () => {
    const made = await withRecipients(1, { schedule_at: "2099-01-31T09:00:00+07:00" });
    expect((await done("POST", `/campaigns/${made.id}/start`)).state).toBe("scheduled");
    await done("POST", `/campaigns/${made.id}/cancel`);
  });
});

test("a test is sent outside the counts, charged and marked", async () => {
  const made = await withRecipients(1);
  const to = freshNumber();
  const sent = await done("POST", `/campaigns/${made.id}/test`, { to: [to], row: 1 });
  expect(sent.messages).toMatchObject([{ to }]);
  const shown = await done("GET", `/messages/${sent.messages[0].message}?body=true`);
  expect(shown).toMatchObject({ to, test: true, charged: true });
  expect(shown.body).toContain(" Ani, berhenti: ");
  expect((await done("GET", `/campaigns/${made.id}`)).counts).toMatchObject({ total: 1, sent: 0 });
  const eleven = await ask("POST", `/campaigns/${made.id}/test`, {
    to: Array.from({ length: 11 }, freshNumber),
  });
  expect(eleven.status).toBe(400);
});

test("each number of a test is judged by itself", async () => {
  const poor = await shop(gateway, { credits: 1 });
  const by = await keyWith(poor.account, SCOPES);
  const body = { ...plain(), devices: [poor.device], message: "Halo {{optout_url}}" };
  const made = await done("POST", "/campaigns", body, by);
  const to = [freshNumber(), freshNumber()];
  const { messages } = await done("POST", `/campaigns/${made.id}/test`, { to }, by);
  expect(messages).toMatchObject([
    { to: to[0], message: expect.any(String) },
    { to: to[1], message: null, code: "credit_exhausted", detail: expect.any(String) },
  ]);
});

test("a test without credit is refused with 402", async () => {
  const poor = await shop(gateway, { credits: 0 });
  const by = await keyWith(poor.account, SCOPES);
  const body = { ...plain(), devices: [poor.device], message: "Halo {{optout_url}}" };
  const made = await done("POST", "/campaigns", body, by);
  const refused = await ask("POST", `/campaigns/${made.id}/test`, { to: [freshNumber()] }, by);
  expect(refused.json).toMatchObject({ status: 402, code: "credit_exhausted" });
});

describe("an upload", () => {
  test.each([
    ["a quote that never ends", `nomor,nama\n6281234567890,"Ani\n`, ""],
    ["no number column", "nama,kota\nAni,Bandung\n", ""],
    ["an unknown parameter", "6281234567890\n", "?colour=red"],
    ["a workbook", "PK\u0003\u0004[Content_Types].xml", ""],
  ])("with %s adds nothing", async (_, csv, query) => {
    const made = await draft();
    const refused = await upload(made.id, csv, query);
    expect(refused.status, refused.text).toBe(400);
    expect((await done("GET", `/campaigns/${made.id}`)).counts.total).toBe(0);
  });

  test("takes the country from the parameter, else from the account", async () => {
    const made = await draft();
    await upload(made.id, "0123456789\n", "?country=60");
    await done("PATCH", "/account", { country: "65" });
    await upload(made.id, "081234567\n");
    await done("PATCH", "/account", { country: "62" });
    const { items } = await done("GET", `/campaigns/${made.id}/recipients`);
    expect(items.map((one: Json) => one.number)).toEqual(["60123456789", "6581234567"]);
  });

  test("is refused for a campaign that is no draft", async () => {
    const made = await withRecipients(1);
    await done("POST", `/campaigns/${made.id}/start`);
    expect((await upload(made.id, `${freshNumber()}\n`)).status).toBe(409);
    await until(made.id, "finished");
    expect((await ask("DELETE", `/campaigns/${made.id}/recipients`)).status).toBe(409);
  });

  test("is undone by emptying the audience", async () => {
    const made = await withRecipients(3);
    const empty = await done("DELETE", `/campaigns/${made.id}/recipients`);
    expect(empty.counts.total).toBe(0);
    expect((await done("GET", `/campaigns/${made.id}/recipients`)).items).toEqual([]);
  });
});

test("a change needs the state that was read", async () => {
  const made = await draft();
  const path = `/campaigns/${made.id}`;
  const tag = (await ask("GET", path)).headers["etag"]!;
  const same = await ask("GET", path, undefined, key, { "if-none-match": tag });
  expect(same.status).toBe(304);
  await done("PATCH", path, { name: "Lain" });
  const late = await ask("PATCH", path, { name: "Akhir" }, key, { "if-match": tag });
  expect(late.status).toBe(412);
  expect((await done("GET", path)).name).toBe("Lain");
});

test("a schedule of a campaign that is not ready any more comes to nothing", async () => {
  const made = await withRecipients(1, { message: "Halo {{nama}} {{optout_url}}" });
  const at = new Date(Date.now() + 1_500).toISOString();
  await done("POST", `/campaigns/${made.id}/start`, { at });
  const long = `${"x".repeat(4_090)} {{nama}} {{optout_url}}`;
  await done("PATCH", `/campaigns/${made.id}`, { message: long });
  const paused = await until(made.id, "paused");
  expect(paused).toMatchObject({ reason: "missed_schedule", started_at: null });
  const refused = await ask("POST", `/campaigns/${made.id}/resume`);
  expect(refused.status).toBe(409);
  expect(refused.json.problems.map((one: Json) => one.code)).toEqual(["text_too_long"]);
  await done("POST", `/campaigns/${made.id}/cancel`);
});

test("reasons are counted exactly", async () => {
  const made = await draft();
  const gone = `628${freshNumber().slice(-5)}991001`;
  await upload(made.id, `nomor,nama\n${gone},Ani\n${gone},Ani\nx,Budi\n${freshNumber()},Cici\n`);
  await done("POST", `/campaigns/${made.id}/start`);
  await until(made.id, "finished");
  expect(await done("GET", `/campaigns/${made.id}/outcomes`)).toEqual({
    skipped: [{ reason: "invalid", count: 1 }, { reason: "duplicate", count: 1 }],
    failed: [{ code: 1001, count: 1 }],
  });
  await done("POST", `/campaigns/${made.id}/retry`, { scope: "failed" });
  expect((await done("GET", `/campaigns/${made.id}/outcomes`)).failed).toEqual([]);
  const other = await shop(gateway);
  const by = await keyWith(other.account, SCOPES);
  const foreign = await ask("GET", `/campaigns/${made.id}/outcomes`, undefined, by);
  expect(foreign.status).toBe(404);
});

test("campaigns are listed newest first, by state", async () => {
  const older = await draft();
  const newer = await draft();
  const { items } = await done("GET", "/campaigns?state=draft&limit=2");
  expect(items.map((one: Json) => one.id)).toEqual([newer.id, older.id]);
});

describe("rights", () => {
  test("another account's campaign is not there", async () => {
    const other = await shop(gateway);
    const by = await keyWith(other.account, SCOPES);
    const made = await draft();
    const asked = async (id: string) => {
      const answers = await Promise.all([
        ask("GET", `/campaigns/${id}`, undefined, by),
        ask("PATCH", `/campaigns/${id}`, { name: "x" }, by),
        ask("POST", `/campaigns/${id}/start`, {}, by),
        ask("POST", `/campaigns/${id}/recipients`, { numbers: [freshNumber()] }, by),
        ask("GET", `/campaigns/${id}/recipients/export`, undefined, by),
      ]);
      return answers.map(({ status, text }) => `${status} ${text.replaceAll(id, "ID")}`);
    };
    const foreign = await asked(made.id);
    expect(foreign.every((one) => one.startsWith("404"))).toBe(true);
    expect(foreign).toEqual(await asked("cmp_999999"));
  });

  test("a viewer sees how it fares, and nobody's number or text", async () => {
    const made = await withRecipients(1);
    const flags = ["--account", account.id, "--role", "viewer"];
    const who = await person(gateway, "lihat@toko.example", ...flags);
    const viewer = await PersonClient.signedIn(gateway, who);
    const shown = (await viewer.ask("GET", `/campaigns/${made.id}`)).json;
    expect(shown).toMatchObject({ message: null, variants: null, counts: { total: 1 } });
    const { items } = (await viewer.ask("GET", `/campaigns/${made.id}/recipients`)).json;
    expect(items[0]).toMatchObject({ values: null, original: null });
    expect(items[0].number).toMatch(/^6281\*+\d\d$/);
    const refused = await Promise.all([
      viewer.ask("POST", `/campaigns/${made.id}/preview`, {}),
      viewer.ask("GET", `/campaigns/${made.id}/recipients/export`),
      viewer.ask("PATCH", `/campaigns/${made.id}`, { name: "x" }),
      viewer.ask("POST", `/campaigns/${made.id}/start`),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  test("the log tells of changes, and of no text or value", async () => {
    const made = await withRecipients(1, { message: "rahasia {{nama|Kak}} {{optout_url}}" });
    await done("PATCH", `/campaigns/${made.id}`, { message: "rahasia lain {{optout_url}}" });
    const log = await done("GET", `/account/log?object=${made.id}`);
    expect(log.items.map((one: Json) => one.operation)).toContain("PATCH /v1/campaigns/{}");
    expect(log.items[0].after).toMatchObject({ message: "changed" });
    expect(JSON.stringify(log)).not.toMatch(/rahasia|Ani/);
  });
});
