// Campaigns that send a template of the official platform.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BusinessNumber } from "./graph/number.ts";
import { Campaigns } from "./support/campaigns.ts";
import { Cloud } from "./support/cloud.ts";
import type { Json } from "./support/contract.ts";
import { freshNumber } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

let cloud: Cloud;
let number: BusinessNumber;
let campaigns: Campaigns;

beforeAll(async () => {
  cloud = await Cloud.open();
  number = cloud.number;
  campaigns = await Campaigns.of(cloud.account);
  add("promo", { body: "Halo {{1}}, diskon {{2}} bulan ini." });
  add("nama", { body: "Halo {{siapa}}.", named: true });
  add("lama", { body: "Halo {{1}}.", status: "PAUSED" });
});
afterAll(() => cloud.close());

function add(name: string, more: { body: string; named?: boolean; status?: string }): void {
  cloud.graph.templates.add(number.waba, { name, language: "id", ...more });
}

const promo = { name: "promo", language: "id", variables: ["{{nama|Kak}}", "50%"] };

/** A campaign with a template for these people, who are new. */
async function campaign(template: object, names: string[], devices = [number.digits]) {
  const people = names.map((nama) => ({ number: freshNumber(), nama }));
  const plan = { message: undefined, template, optout: "none" };
  const id = await campaigns.create(devices, plan);
  const rows = people.map((person) => `${person.number},"${person.nama}"`);
  await campaigns.upload(id, ["nomor,nama", ...rows].join("\n"));
  return { id, numbers: people.map((person) => person.number) };
}

const check = (id: string) => campaigns.done("POST", `/${id}/check`);
const show = (id: string) => campaigns.done("GET", `/${id}`);
const rows = async (id: string) => (await campaigns.done("GET", `/${id}/recipients`)).items;
const texts = (to: string) => cloud.graph.to(to).map(({ text }) => text);

async function run(id: string): Promise<Json> {
  await campaigns.act(id, "start");
  return waitFor("the campaign to finish", async () => {
    const shown = await show(id);
    return shown.state === "finished" ? shown : undefined;
  });
}

test("each recipient gets the template with their own values, also after 24 hours", async () => {
  number.windowClosed = "answer";
  const { id, numbers } = await campaign(promo, ["Budi", "", "Sari\nDewi"]);
  expect(await check(id)).toMatchObject({ ready: true, problems: [], recipients: 3 });
  const ended = await run(id);
  expect(ended.counts).toMatchObject({ sent: 3, failed: 0 });
  expect(numbers.map(texts)).toEqual([
    ["Halo Budi, diskon 50% bulan ini."],
    ["Halo Kak, diskon 50% bulan ini."],
    ["Halo Sari Dewi, diskon 50% bulan ini."],
  ]);
  expect(numbers.flatMap((to) => cloud.graph.to(to)).map(({ type }) => type)).toEqual(
    Array(3).fill("template"),
  );
  const [{ message }] = await rows(id);
  const shown = await cloud.gateway.json("message", "show", message, "--body");
  expect(shown.template).toEqual({ name: "promo", language: "id" });
  expect(shown.sent_as).toEqual({
    name: "promo",
    language: "id",
    header: null,
    body: "Halo Budi, diskon 50% bulan ini.",
    footer: "Toko Merpati",
    buttons: [],
  });
  const brief = await cloud.gateway.json("message", "show", message);
  expect(brief).not.toHaveProperty("sent_as");
});

test("named variables are filled in the order of the template", async () => {
  const { id, numbers } = await campaign(
    { name: "nama", language: "id", variables: ["{{nama}}"] },
    ["Budi"],
  );
  await run(id);
  expect(texts(numbers[0]!)).toEqual(["Halo Budi."]);
});

test("the preview shows the template's own text with its variables", async () => {
  const { id } = await campaign(promo, ["Budi"]);
  const preview = await campaigns.done("POST", `/${id}/preview`, { values: { nama: "Wati" } });
  expect(preview).toMatchObject({
    text: "Halo Wati, diskon 50% bulan ini.",
    variables: ["Wati", "50%"],
    characters: 32,
    problems: [],
  });
  const printed = await cloud.gateway.json("campaign", "preview", id, "--row", "1");
  expect(printed.text).toBe("Halo Budi, diskon 50% bulan ini.");
});

test("a test message is the template too", async () => {
  const { id } = await campaign(promo, ["Budi"]);
  const to = freshNumber();
  const answer = await campaigns.done("POST", `/${id}/test`, { to: [to], row: 1 });
  await cloud.until(answer.messages[0].message, "sent");
  expect(texts(to)).toEqual(["Halo Budi, diskon 50% bulan ini."]);
});

describe("check says what will be refused", () => {
  const cases: [string, object, string, string][] = [
    [
      "a template that the account lacks",
      { ...promo, name: "hilang" },
      "template",
      "its business account has no template hilang in the language id",
    ],
    [
      "another language",
      { ...promo, language: "en" },
      "template",
      "its business account has no template promo in the language en",
    ],
    [
      "one that is not approved",
      { name: "lama", language: "id", variables: ["{{nama}}"] },
      "template",
      "it is not approved: the platform calls it PAUSED",
    ],
    [
      "another number of variables",
      { ...promo, variables: ["{{nama|Kak}}"] },
      "template",
      "it has 2 variables, and the campaign fills 1",
    ],
    [
      "an empty variable",
      { ...promo, variables: ["{{nama|Kak}}", " "] },
      "template",
      "variable 2 of the template is empty",
    ],
    [
      "a column that the audience lacks",
      { ...promo, variables: ["{{kota}}", "50%"] },
      "unknown_column",
      "the audience has no column 'kota'; it has nomor, nama",
    ],
  ];
  test.each(cases)("%s", async (_, template, code, detail) => {
    const { id } = await campaign(template, ["Budi"]);
    const { ready, problems } = await check(id);
    expect(ready).toBe(false);
    expect(problems).toHaveLength(1);
    expect(problems[0].code).toBe(code);
    expect(problems[0].detail).toContain(detail);
    expect((await campaigns.ask("POST", `/${id}/start`)).status).toBe(409);
  });

  test("a device of another platform", async () => {
    const other = freshNumber();
    await cloud.account.device(other, "--connector", "simulator");
    const { id } = await campaign(promo, ["Budi"], [number.digits, other]);
    const { problems } = await check(id);
    expect(problems).toMatchObject([{ code: "template", count: 1 }]);
    expect(problems[0].detail).toContain(other);
  });

  test("rows whose variable is empty are left out", async () => {
    const { id } = await campaign({ ...promo, variables: ["{{nama}}", "50%"] }, ["Budi", ""]);
    expect(await check(id)).toMatchObject({
      ready: true,
      recipients: 1,
      problems: [{ code: "empty_value", count: 1 }],
    });
    const ended = await run(id);
    expect(ended.counts).toMatchObject({ sent: 1, skipped: 1 });
    expect((await rows(id))[1]).toMatchObject({ state: "skipped", reason: "empty_value" });
  });

  test("texts that are too long with their variables", async () => {
    const { id } = await campaign(promo, ["a".repeat(1_000)]);
    expect((await check(id)).problems).toMatchObject([{ code: "text_too_long" }]);
  });

  test("nothing, where the business account is not known", async () => {
    const bare = cloud.graph.addNumber({ number: freshNumber() });
    await cloud.account.device(bare.digits, ...cloud.access(bare));
    const { id } = await campaign(promo, ["Budi"], [bare.digits]);
    expect(await check(id)).toMatchObject({
      ready: true,
      problems: [{ code: "template_unchecked", count: 1 }],
    });
  });
});

test.each([132000, 132001, 132007, 132012, 132015, 132016])(
  "refusal %i fails the row, and a retry sends the template",
  async (code) => {
    const { id, numbers } = await campaign(promo, ["Budi"]);
    const [to] = numbers as [string];
    cloud.graph.scripts.add({ to, type: "template", refuse: { code } });
    expect((await run(id)).counts).toMatchObject({ failed: 1 });
    const [row] = await rows(id);
    expect(row).toMatchObject({ state: "failed", code: 500 });
    const failed = await cloud.gateway.json("message", "show", row.message);
    expect(failed.details).toMatch(new RegExp(`^${code} `));
    await campaigns.act(id, "retry", { scope: "failed" });
    await campaigns.act(id, "resume");
    await waitFor("the row to be sent", async () => (await rows(id))[0].state === "sent");
    expect(texts(to).at(-1)).toBe("Halo Budi, diskon 50% bulan ini.");
  },
);

test("a message that failed is sent again as the same template", async () => {
  const { id, numbers } = await campaign(promo, ["Budi"]);
  const [to] = numbers as [string];
  cloud.graph.scripts.add({ to, type: "template", refuse: { code: 132015 } });
  await run(id);
  const [{ message }] = await rows(id);
  const again = await cloud.gateway.json("message", "retry", message);
  await cloud.until(again.id, "sent");
  expect(texts(to).at(-1)).toBe("Halo Budi, diskon 50% bulan ini.");
});

test("a copy has the template", async () => {
  const { id } = await campaign(promo, ["Budi"]);
  const copy = await campaigns.act(id, "clone", { recipients: true });
  expect(copy.template).toEqual({ ...promo, header: null, buttons: [] });
  expect((await run(copy.id)).counts.sent).toBe(1);
});

test("a campaign that is created and checked in the terminal", async () => {
  const flags = ["--device", number.digits, "--purpose", "transactional", "--name", "Terminal"];
  const values = ["--template-value", "{{nama}}", "--template-value", "50%"];
  const account = cloud.account.id;
  const made = await cloud.gateway.json(
    ...["campaign", "create", account, ...flags, "--template", "promo/id", ...values],
  );
  expect(made.template).toMatchObject({ ...promo, variables: ["{{nama}}", "50%"] });
  const file = cloud.write("orang.csv", `nomor,nama\n${freshNumber()},Budi`);
  await cloud.gateway.json("campaign", "import", made.id, file);
  const preview = await cloud.cli("campaign", "preview", made.id);
  expect(preview.stdout).toContain("Halo Budi, diskon 50% bulan ini.");
  const report = await cloud.cli("campaign", "check", made.id);
  expect(report.code, report.stdout).toBe(0);
});

test("kill -9 while the platform takes the template neither loses nor doubles it", async () => {
  const { id, numbers } = await campaign(promo, ["Budi"]);
  const [to] = numbers as [string];
  cloud.graph.scripts.add({ to, type: "template", hang: true });
  await campaigns.act(id, "start");
  await waitFor("the platform to have it", () => cloud.graph.to(to).length === 1);
  await cloud.gateway.kill();
  await cloud.gateway.start();
  await waitFor("the row to end", async () => (await rows(id))[0].state === "sent", 30_000);
  expect(texts(to)).toEqual(["Halo Budi, diskon 50% bulan ini."]);
});
