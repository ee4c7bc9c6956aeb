// Campaigns, contacts and suppressions on the command line.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop } from "./support/account.ts";
import { binary, environment, onTerminal } from "./support/binary.ts";
import type { Json } from "./support/contract.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import { waitFor, within } from "./support/wait.ts";

let gateway: Gateway;
let account: string;
let device: string;
beforeAll(async () => {
  gateway = await Gateway.create();
  const opened = await shop(gateway, { credits: 100_000 });
  [account, device] = [opened.account.id, opened.device];
});
afterAll(() => gateway.close());

const run = (...args: string[]) => gateway.cli("campaign", ...args);
const json = (...args: string[]): Promise<Json> => gateway.json("campaign", ...args);

/** Creates a campaign that sends at any time of the day; returns its id. */
async function create(...more: string[]): Promise<string> {
  const purpose = ["--purpose", "transactional"];
  const text = ["--message", `${freshText()} {{nama|Kak}}`];
  const name = more.includes("--name") ? [] : ["--name", "Promo"];
  const made = await json(
    "create", account, "--device", device, ...name, ...purpose, ...text, ...more,
  );
  return made.id;
}

/** A file with so many recipients, and a header. */
function list(count: number): string {
  const rows = Array.from({ length: count }, () => `${freshNumber()};Ani`);
  const path = join(gateway.folder, "list.csv");
  writeFileSync(path, `nomor;nama\n${rows.join("\n")}\n`);
  return path;
}

/** A running campaign that sends one message a minute. */
async function slow(recipients = 3): Promise<string> {
  const id = await create("--per-minute", "1");
  await json("import", id, list(recipients));
  await json("start", id);
  return id;
}

interface Watched {
  lines: Json[];
  stderr: string;
  ended: Promise<number | null>;
}

/** Begins `campaign watch --json`, and waits for its first line. */
async function watching(id: string): Promise<Watched> {
  const args = ["--config", gateway.config, "campaign", "watch", id, "--json"];
  const child = spawn(binary, args, { env: environment(), stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  const watched: Watched = {
    lines: [],
    stderr: "",
    ended: new Promise((resolve) => child.on("close", resolve)),
  };
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (watched.stderr += piece));
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    text = text.slice(whole.length);
    for (const line of whole.split("\n")) if (line) watched.lines.push(JSON.parse(line));
  });
  await waitFor("a first line", () => watched.lines.length > 0);
  return watched;
}

test("a campaign goes from its draft to its report", async () => {
  const text = join(gateway.folder, "text.txt");
  writeFileSync(text, "Halo {{nama|Kak}},\nberhenti: {{optout_url}}\n");
  const made = await json(
    "create", account, "--name", "Lebaran", "--device", device, "--message-file", text,
    "--consent", "Pelanggan", "--quiet", "none", "--per-minute", "6000", "--typing", "yes",
  );
  expect(made).toMatchObject({
    state: "draft", message: "Halo {{nama|Kak}},\nberhenti: {{optout_url}}", typing: true,
    pace: { per_minute: 6000 }, quiet_hours: null,
  });
  const bare = await run("check", made.id);
  expect(bare.code).toBe(1);
  expect(bare.stdout).toContain("no_recipients");

  const [first, second, failing] = [freshNumber(), freshNumber(), simulated("991003")];
  const file = join(gateway.folder, "people.csv");
  writeFileSync(file, `Nomor HP,nama\n${first},Ani\nx,Budi\n`);
  expect(await json("import", made.id, file)).toMatchObject({ rows: 2, added: 1, invalid: 1 });
  const piped = await gateway.cliWith(
    `Nomor HP;nama\n0${second.slice(2)};\n${failing};Citra\n`, "campaign", "import", made.id, "-",
  );
  expect(piped.code, piped.stderr).toBe(0);
  expect(piped.stdout).toMatch(/added +2/);

  const preview = await run("preview", made.id, "--row", "1");
  expect(preview.stdout).toMatch(/^ {2}Halo Ani,\n {2}berhenti: http/);
  const ready = await run("check", made.id);
  expect(ready.code, ready.stdout).toBe(0);
  expect(ready.stdout).toMatch(/recipients +3/);

  const own = freshNumber();
  const tested = await json("test", made.id, "--to", own);
  expect(tested.messages).toMatchObject([{ to: own }]);
  expect((await gateway.simulator.attemptTo(own)).body).toContain("Halo Ani,\n");

  expect(await json("start", made.id)).toMatchObject({ state: "running" });
  const watched = await run("watch", made.id);
  expect(watched.code, watched.stderr).toBe(0);
  expect(watched.stdout).toMatch(/state +finished/);
  expect(watched.stdout).toContain(`merpati campaign report ${made.id}`);
  expect(gateway.simulator.to(second)).toHaveLength(1);

  const report = await run("report", made.id);
  const lines = report.stdout.split("\r\n");
  const columns = "row,number,original,state,reason,Nomor HP,nama,variant,device,message,code,at";
  expect(lines[0]).toBe(columns);
  expect(lines).toHaveLength(6);
  const records = (await run("report", made.id, "--format", "ndjson")).stdout.trim().split("\n");
  expect(records.map((line) => JSON.parse(line).state)).toEqual([
    "sent", "skipped", "sent", "failed",
  ]);
  const failed = await run("report", made.id, "--state", "failed", "--format", "ndjson");
  expect(JSON.parse(failed.stdout)).toMatchObject({ number: failing, code: 1003 });
  expect(await json("recipients", made.id, "--reason", "invalid")).toMatchObject([
    { row: 2, original: "x" },
  ]);

  const again = await json("retry", made.id, "--scope", "failed", "--code", "1003");
  expect(again).toMatchObject({ state: "paused", counts: { pending: 1 } });
  await json("resume", made.id);
  expect((await run("watch", made.id)).code).toBe(0);
  const copy = await json("clone", made.id, "--recipients");
  expect(copy).toMatchObject({ state: "draft", counts: { total: 4, pending: 3 } });
  expect(await json("remove", copy.id)).toEqual({ id: copy.id, removed: true });
});

test("contacts and suppressions decide who gets a campaign", async () => {
  const of = ["--account", account];
  const [vip, other, out] = [freshNumber(), freshNumber(), freshNumber()];
  await gateway.json("contact", "put", vip, ...of, "--name", "Ani", "--tag", "vip");
  const file = join(gateway.folder, "contacts.csv");
  writeFileSync(file, `nomor,nama,kota\n${other},Budi,Solo\n${out},Citra,Tegal\n`);
  const imported = await gateway.json("contact", "import", file, ...of, "--tag", "vip,baru");
  expect(imported).toMatchObject({ rows: 2, added: 2, merged: 0 });
  await gateway.json("suppression", "add", out, ...of);
  const id = await create();
  expect(await json("import", id, "--tag", "vip")).toMatchObject({ added: 2, suppressed: 1 });
  const shown = await gateway.cli("contact", "show", other, ...of);
  expect(shown.stdout).toMatch(/values .*kota=Solo/);
  expect((await gateway.cli("contact", "export", ...of)).stdout).toContain(`${other},Budi,`);
  expect((await gateway.cli("suppression", "export", ...of)).stdout).toContain(`${out},manual,`);
  await gateway.json("suppression", "remove", out, ...of);
  expect(await gateway.json("suppression", "list", ...of)).toEqual([]);
  await gateway.json("contact", "remove", other, ...of, "--everywhere");
  const rows: Json[] = await json("recipients", id);
  expect(rows.find(({ number }) => number === other)).toMatchObject({
    state: "cancelled", values: { kota: "" },
  });
});

describe("watch", () => {
  test("ends with 1 when the campaign is paused, and when it is cancelled", async () => {
    const id = await slow();
    const paused = await watching(id);
    await json("pause", id);
    expect(await within("the end of watch", paused.ended)).toBe(1);
    expect(paused.lines.at(-1)).toMatchObject({ id, state: "paused", reason: "asked" });
    expect(paused.stderr).toContain(`\`merpati campaign resume ${id}\``);
    await json("resume", id);
    const cancelled = await watching(id);
    expect(cancelled.lines[0]).toMatchObject({ state: "running" });
    await json("cancel", id);
    expect(await within("the end of watch", cancelled.ended)).toBe(1);
    expect(cancelled.lines.at(-1)).toMatchObject({ state: "cancelled" });
    expect((await run("watch", id)).stderr).toContain("was cancelled");
  });

  test("prints a line for each change, until the end", async () => {
    const id = await create("--per-minute", "60");
    await json("import", id, list(3));
    await json("start", id);
    const watched = await watching(id);
    expect(await within("the end of watch", watched.ended, 30_000)).toBe(0);
    const sent = watched.lines.map(({ counts }) => counts.sent);
    expect(sent).toEqual([...sent].sort());
    expect(sent.at(-1)).toBe(3);
    expect(watched.lines.at(-1)).toMatchObject({ state: "finished", ends_at: null });
    const texts = watched.lines.map(({ state, reason, counts }) =>
      JSON.stringify({ state, reason, counts }),
    );
    expect(new Set(texts).size).toBe(texts.length);
  });

  test("survives a restart of the server, and does not keep it from starting", async () => {
    const id = await slow();
    const watched = await watching(id);
    await gateway.stop();
    await waitFor("watch to miss the server", () => watched.stderr.includes("does not answer"));
    await gateway.start();
    await json("cancel", id);
    expect(await within("the end of watch", watched.ended)).toBe(1);
    expect(watched.lines.at(-1)).toMatchObject({ state: "cancelled" });
  });

  test("draws a bar on a terminal", async () => {
    const id = await create("--per-minute", "120");
    await json("import", id, list(4));
    await json("start", id);
    const { code, shown } = await onTerminal(["--config", gateway.config, "campaign", "watch", id]);
    expect(code).toBe(0);
    expect(shown).toMatch(/\r\x1b\[K\[#*\.*\] +\d+% {2}\d\/4/);
    expect(shown).toMatch(/\r\x1b\[Kid +cmp_/);
    const widths = shown.split(/\r\x1b\[K|\r\n/).map((line) => line.length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(80);
  });
});

test("an import draws its progress on a terminal alone", async () => {
  const id = await create();
  const file = join(gateway.folder, "many.csv");
  const rows = Array.from({ length: 10_000 }, (_, row) => `628999${String(row).padStart(7, "0")}`);
  writeFileSync(file, `nomor\n${rows.join("\n")}\n`);
  const plain = await run("import", id, file);
  expect(plain.code, plain.stderr).toBe(0);
  expect(plain.stdout + plain.stderr).not.toContain("\x1b");
  await json("clear", id);
  const args = ["--config", gateway.config, "campaign", "import", id, file];
  const { code, shown } = await onTerminal(args);
  expect(code).toBe(0);
  expect(shown).toMatch(/\[#+\.*\] +\d+% {2}\S+ kB of \S+ kB/);
  expect(shown).toMatch(/\r\x1b\[KNext: merpati campaign check ID\r\n/);
  expect(shown).toMatch(/added +10000/);
  await json("clear", id);
  const { shown: quiet } = await onTerminal([...args, "--json"]);
  expect(JSON.parse(quiet)).toMatchObject({ added: 10_000 });
});

test("a list that is cut off or no list adds nothing, and says why", async () => {
  const id = await create();
  const quote = join(gateway.folder, "quote.csv");
  writeFileSync(quote, `nomor,nama\n${freshNumber()},"Ani\n`);
  for (const file of [quote, gateway.folder, join(gateway.folder, "missing.csv")]) {
    const refused = await run("import", id, file);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^merpati: .{10,}/);
  }
  expect(await json("show", id)).toMatchObject({ counts: { total: 0 } });
  const nobody = await run("import", "cmp_999999", quote);
  expect(nobody.stderr).toContain("there is no campaign cmp_999999 (`merpati campaign list`)");
});

test("what people and files are named does not command the terminal", async () => {
  const id = await create("--name", "a\u202eb");
  const file = join(gateway.folder, "\x1b[2J;$(id) 'x'.csv");
  writeFileSync(file, `nomor,na\x1b[2Jma\n${freshNumber()},\x1b[2JAni\n`);
  for (const shown of [
    await run("import", id, file),
    await run("import", id, `${file}.missing`),
    await run("recipients", id),
    await run("report", id),
    await run("show", id),
    await run("list"),
    await run("show", "\x1b[2J"),
  ]) {
    expect(shown.stdout + shown.stderr).not.toMatch(/[\x1b\u202e]/);
  }
  for (const path of ["../accounts", "1/../../admin/accounts", `${id}?account=1`, `${id}/start`]) {
    expect((await run("show", path)).code).toBe(1);
  }
});

test("on a stopped server's store campaigns are made, shown and changed", async () => {
  const id = await slow(2);
  expect(await gateway.stop()).toBe(0);
  const moved = await run("watch", id);
  expect(moved.code).toBe(1);
  expect(moved.stderr).toContain("`merpati serve`");
  expect(await json("pause", id)).toMatchObject({ state: "paused", reason: "asked" });
  expect(await json("show", id)).toMatchObject({ rate_per_minute: null });
  expect((await run("report", id)).stdout.split("\r\n")).toHaveLength(4);
  const down = await create();
  expect(await json("import", down, list(5))).toMatchObject({ added: 5 });
  expect((await run("check", down)).code).toBe(0);
  expect(await json("start", down)).toMatchObject({ state: "running" });
  const tested = await run("test", down, "--to", freshNumber());
  expect(tested.stderr).toContain("the server is stopped");
  await gateway.json("suppression", "add", freshNumber(), "--account", account);
  await gateway.start();
  expect((await run("watch", down)).code).toBe(0);
  expect(await json("show", down)).toMatchObject({ counts: { sent: 5 } });
  expect(await json("show", id)).toMatchObject({ state: "paused" });
});

test("every command of campaigns is in the manual", () => {
  const page = readFileSync(join(import.meta.dirname, "../docs/campaigns.md"), "utf8");
  for (const command of ["create", "import", "check", "preview", "test", "start", "watch",
    "pause", "resume", "cancel", "retry", "clone", "report"]) {
    expect(page).toContain(`merpati campaign ${command}`);
  }
});
