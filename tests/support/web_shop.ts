// A gateway that has been in use for a while, with data for every page of the web app.
import { type Account, shop } from "./account.ts";
import { call, keyWith } from "./catalogue.ts";
import { Gateway } from "./gateway.ts";
import { person, type SomePerson } from "./people.ts";
import { Sink } from "./sink.ts";
import { waitFor } from "./wait.ts";

export interface WebShop {
  gateway: Gateway;
  sink: Sink;
  admin: SomePerson;
  newcomer: SomePerson; // Owns an account that has nothing yet.
  account: Account;
  device: string; // Connected.
  unlinked: string; // Shows QR codes that nobody scans.
  message: string; // Its timeline has attempts and callbacks.
  waiting: string; // A message that is due in an hour.
  draft: string; // A campaign with an audience that has faults.
  contact: string; // The number of a contact with all that one can have.
  paused: string; // A campaign of which a part has been sent.
  close(): Promise<void>;
}

const HOUR = 3_600_000;
const DAYS = 29;

export async function openWebShop(): Promise<WebShop> {
  const sink = await Sink.open({ secure: false });
  const gateway = await Gateway.create({
    settings: { "outbound.allow_http_callbacks": true, "scheduler.retry_first": "1s" },
  });
  const callback = sink.url("/status");
  const { account, device } = await shop(gateway, { credits: 12_840, callback }, { name: "toko" });
  const { unlinked } = await furnish(gateway, account);
  const admin = await person(gateway, "ani@toko.example", "--admin");
  const newcomer = await neighbours(gateway, account);
  await gateway.stop();
  history(gateway, account, device);
  await gateway.start();
  const sent = await messages(sink, account, device);
  const made = await campaigns(account, device);
  const known = await people(account);
  const close = async () => {
    await gateway.close();
    await sink.close();
  };
  const all = { ...sent, ...made, ...known };
  return { gateway, sink, admin, newcomer, account, device, unlinked, ...all, close };
}

async function furnish(gateway: Gateway, account: Account): Promise<{ unlinked: string }> {
  await gateway.json("account", "set", account.id, "--name", "Toko Kenanga");
  for (const [name, scopes] of [
    ["kasir", "send"],
    ["laporan-harian", "messages:read,account:read"],
  ] as const) {
    await account.createKey({ name, scopes });
  }
  const { id } = await account.createKey({ name: "percobaan" });
  await gateway.json("key", "revoke", id);
  const unlinked = "6281277992005";
  await account.device(unlinked);
  const paused = await account.device("6281277004417", "--per-day", "1000", "--gap", "2s");
  await gateway.json("device", "pause", paused);
  const away = await account.device("6281277008825", "--webhook", "https://toko.example/perangkat");
  await gateway.json("device", "disconnect", away);
  return { unlinked };
}

async function neighbours(gateway: Gateway, account: Account): Promise<SomePerson> {
  const flags = ["--account", account.id, "--role"];
  await person(gateway, "budi@toko.example", ...flags, "owner");
  await person(gateway, "kasir@toko.example", ...flags, "operator");
  await person(gateway, "akuntan@toko.example", ...flags, "viewer");
  const create = (name: string, ...more: string[]) =>
    gateway.json("account", "create", name, ...more);
  for (const made of [
    await create("Klinik Sehat Sentosa", "--credits", "1200", "--expires", "2027-06-30T17:00:00Z"),
    await create("Apotek Melati", "--plan", "trial", "--credits", "0"),
    await create("Koperasi Simpan Pinjam Sejahtera Bersama", "--plan", "free"),
  ]) {
    gateway.secrets.add(made.webhook_secret);
  }
  const { id } = await create("Warung Baru");
  return person(gateway, "baru@warung.example", "--account", id, "--role", "owner");
}

/** Writes hourly usage of the last weeks. */
function history(gateway: Gateway, account: Account, device: string): void {
  const row = Number(account.id.slice("acc_".length));
  const today = Math.floor(Date.now() / HOUR);
  const rows = Array.from({ length: DAYS }, (_, day) => {
    const hour = today - 24 * (day + 1);
    const sent = 900 + ((day * 7919) % 1300) - (day % 7 === 3 ? 700 : 0);
    return (
      `(${row}, ${hour}, ${device}, 0, 2, 200, ${sent}),` +
      `(${row}, ${hour}, ${device}, 0, 3, 1001, ${20 + ((day * 31) % 60)}),` +
      `(${row}, ${hour}, ${device}, 0, 3, 500, ${(day * 13) % 9})`
    );
  });
  const columns = "account, hour, device, source, state, code, messages";
  gateway.sql(`INSERT INTO usage(${columns}) VALUES ${rows.join(",")}`);
}

async function campaigns(account: Account, device: string) {
  const key = await keyWith(account, ["campaigns:read", "campaigns:manage"]);
  const ask = async (method: string, path: string, body?: unknown, type = "application/json") => {
    const row = { method, path: `/v1/campaigns${path}` };
    const headers = { "content-type": type };
    const answer = await call(account.gateway, row, { key, headers }, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json;
  };
  const create = async (name: string, rows: string[], more: object = {}): Promise<string> => {
    const text = { message: "Halo {{nama|Kak}}, promo di {{kota}}. Berhenti: {{optout_url}}" };
    const { id } = await ask("POST", "", { name, devices: [device], ...text, ...more });
    const csv = ["nomor,nama,kota", ...rows].join("\n");
    await ask("POST", `/${id}/recipients`, csv, "text/csv");
    return id as string;
  };
  const people = (from: number, count: number) =>
    Array.from({ length: count }, (_, row) => `62812777${from + row * 3},Rina ${row + 1},Solo`);
  const faults = ["6.28E+12,Ani,Solo", "0812-ABC,Budi,Solo", "6281277710000,Ganda,Solo"];
  const draft = await create("Promo November", [...people(10_000, 40), ...faults]);
  const now = { purpose: "transactional", pace: { per_minute: 600 } };
  const failing = ["991001", "995002", "991001"].map((end) => `6281277${end},Gagal,Solo`);
  const paused = await create("Pengingat pesanan", [...failing, ...people(20_000, 90)], now);
  await ask("POST", `/${paused}/start`, {});
  const sent = async () => (await ask("GET", `/${paused}`)).counts.sent > 20;
  await waitFor("some messages", sent, 60_000);
  await ask("POST", `/${paused}/pause`, {});
  return { draft, paused };
}

async function people(account: Account): Promise<{ contact: string }> {
  const key = await keyWith(account, ["campaigns:read", "campaigns:manage"]);
  const ask = async (method: string, path: string, body: unknown, type = "application/json") => {
    const headers = { "content-type": type };
    const answer = await call(account.gateway, { method, path }, { key, headers }, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  };
  const row = (n: number) => `62812888${10_000 + n * 7},Rina ${n},Solo`;
  const rows = Array.from({ length: 12 }, (_, n) => row(n));
  const csv = ["nomor,nama,kota", ...rows].join("\n");
  await ask("POST", "/v1/contacts/import?tag=pelanggan", csv, "text/csv");
  const contact = "6281288812345";
  const consent = { source: "formulir di toko", text: "Boleh dikirimi kabar promo" };
  const values = { kota: "Bandung", poin: "120" };
  const known = { name: "Ani Lestari", values, tags: ["pelanggan", "vip"], consent };
  await ask("PUT", `/v1/contacts/${contact}`, known);
  for (const [place, reason] of ["manual", "import", "opt_out", "unregistered"].entries()) {
    await ask("PUT", `/v1/suppressions/628128889${place}000`, { reason });
  }
  return { contact };
}

async function messages(sink: Sink, account: Account, device: string) {
  sink.on("/tutup", () => ({ status: 410, body: "Gone" }));
  sink.on("/sibuk", (attempt) => ({ status: attempt < 2 ? 503 : 200, body: "sebentar" }));
  const send = async (to: string, more: object = {}): Promise<string> => {
    const message = "Halo Bu Rina, pesanan Anda sudah dikirim.";
    const body = { to, from: device, message, Type: "text", ...more };
    const answer = await account.send(body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json.data.requestId as string;
  };
  for (let turn = 0; turn < 12; turn += 1) await send(`62812555${10_000 + turn * 37}`);
  await send("6281255991001");
  await send("6281255991002", { callbackStatus: sink.url("/tutup") });
  await send("6281255995002");
  await send("6281255996000");
  await send("6281255995003", {});
  const message = await send("6281255995000", { callbackStatus: sink.url("/sibuk") });
  const waiting = await send("628125551234", { delay: 3600 });
  const ended = async (id: string) => {
    const { state } = await account.gateway.json("message", "show", id);
    return state !== "pending" && state !== "sending";
  };
  await waitFor("the messages", () => ended(message), 60_000);
  await sink.requests("/sibuk", 2);
  return { message, waiting };
}
