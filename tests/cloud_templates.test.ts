// Templates whose header and buttons have something in each message.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BusinessNumber } from "./graph/number.ts";
import type { Template } from "./graph/templates.ts";
import { Campaigns } from "./support/campaigns.ts";
import { call, keyWith, SCOPES } from "./support/catalogue.ts";
import { Cloud } from "./support/cloud.ts";
import type { Json } from "./support/contract.ts";
import { bigPng, mp4, opus, pdf, png } from "./support/files.ts";
import { MediaServer, type MediaAnswer } from "./support/media_server.ts";
import { freshNumber } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

let cloud: Cloud;
let number: BusinessNumber;
let campaigns: Campaigns;
let host: MediaServer;

beforeAll(async () => {
  cloud = await Cloud.open();
  host = await MediaServer.open();
  number = cloud.number;
  campaigns = await Campaigns.of(cloud.account);
  add("undangan", {
    header: "Untuk {{1}}",
    body: "Halo {{1}}, kami tunggu.",
    buttons: [
      { type: "QUICK_REPLY", text: "Ya" },
      { type: "COPY_CODE" },
      { type: "URL", url: "https://toko.example/{{1}}" },
    ],
  });
  add("bernama", { header: "Untuk {{siapa}}", body: "Halo {{nama}}.", named: true });
  add("polos", { body: "Halo {{1}}." });
  for (const file of ["IMAGE", "VIDEO", "DOCUMENT"] as const) {
    add(file.toLowerCase(), { file, body: "Halo {{1}}." });
  }
});
afterAll(async () => {
  await cloud.close();
  await host.close();
});

function add(name: string, more: Partial<Template> & { body: string }): void {
  cloud.graph.templates.add(number.waba, { name, language: "id", ...more });
}

const invitation = {
  name: "undangan",
  language: "id",
  variables: ["{{nama}}"],
  header: "{{nama}}",
  buttons: ["HEMAT20", "u/{{number}}"],
};
const withFile = (name: string) => ({ name, language: "id", variables: ["{{nama}}"] });

/** A campaign with a template for these people, who are new. */
async function campaign(template: object, names: string[], more: object = {}) {
  const people = names.map((nama) => ({ number: freshNumber(), nama }));
  const plan = { message: undefined, template, optout: "none", ...more };
  const id = await campaigns.create([number.digits], plan);
  const rows = people.map((person) => `${person.number},"${person.nama}"`);
  await campaigns.upload(id, ["nomor,nama", ...rows].join("\n"));
  return { id, numbers: people.map((person) => person.number) };
}

const rows = async (id: string) => (await campaigns.done("GET", `/${id}/recipients`)).items;
const components = (to: string) => cloud.graph.to(to).at(-1)!.body["template"].components;

async function run(id: string): Promise<Json> {
  await campaigns.act(id, "start");
  return waitFor("the campaign to finish", async () => {
    const shown = await campaigns.done("GET", `/${id}`);
    return shown.state === "finished" ? shown : undefined;
  });
}

test("header, body and buttons have each recipient's own texts", async () => {
  const { id, numbers } = await campaign(invitation, ["Budi", "Sari"]);
  const [budi, sari] = numbers as [string, string];
  expect(await campaigns.done("POST", `/${id}/check`)).toMatchObject({
    ready: true,
    problems: [],
  });
  expect((await run(id)).counts).toMatchObject({ sent: 2, failed: 0 });
  expect(components(budi)).toEqual([
    { type: "header", parameters: [{ type: "text", text: "Budi" }] },
    { type: "body", parameters: [{ type: "text", text: "Budi" }] },
    {
      type: "button",
      sub_type: "copy_code",
      index: "1",
      parameters: [{ type: "coupon_code", coupon_code: "HEMAT20" }],
    },
    {
      type: "button",
      sub_type: "url",
      index: "2",
      parameters: [{ type: "text", text: `u/${budi}` }],
    },
  ]);
  expect(components(sari)[3].parameters).toEqual([{ type: "text", text: `u/${sari}` }]);
  const [{ message }] = await rows(id);
  const shown = await cloud.gateway.json("message", "show", message, "--body");
  expect(shown.sent_as).toEqual({
    name: "undangan",
    language: "id",
    header: "Untuk Budi",
    body: "Halo Budi, kami tunggu.",
    footer: "Toko Merpati",
    buttons: ["HEMAT20", `https://toko.example/u/${budi}`],
  });
});

test("a named variable of the header goes by its name", async () => {
  const named = { ...withFile("bernama"), header: "{{nama|Kak}}" };
  const { id, numbers } = await campaign(named, ["Budi"]);
  expect((await run(id)).counts).toMatchObject({ sent: 1 });
  expect(components(numbers[0]!)[0].parameters).toEqual([
    { type: "text", parameter_name: "siapa", text: "Budi" },
  ]);
});

test("the preview shows them, and a test message has them", async () => {
  const { id } = await campaign(invitation, ["Budi"]);
  const preview = await campaigns.done("POST", `/${id}/preview`, { row: 1 });
  expect(preview).toMatchObject({ header: "Untuk Budi", text: "Halo Budi, kami tunggu." });
  expect(preview.buttons[0]).toBe("HEMAT20");
  expect(preview.buttons[1]).toMatch(/^https:\/\/toko\.example\/u\/\d+$/);
  const to = freshNumber();
  const answer = await campaigns.done("POST", `/${id}/test`, { to: [to], row: 1 });
  await cloud.until(answer.messages[0].message, "sent");
  expect(components(to)).toHaveLength(4);
});

test("rows without a text for header or button are left out", async () => {
  const { id } = await campaign(invitation, ["Budi", ""]);
  expect((await run(id)).counts).toMatchObject({ sent: 1, skipped: 1 });
});

const files: [name: string, answer: MediaAnswer, path: string, filename?: string][] = [
  ["image", { content: png }, "/promo.png"],
  ["video", { content: mp4, type: "video/mp4" }, "/promo.mp4"],
  ["document", { content: pdf, type: "application/pdf" }, "/nota.pdf", "nota.pdf"],
];

describe("the file of a header", () => {
  test.each(files)("%s: is uploaded once for all", async (kind, answer, path, filename) => {
    const before = cloud.graph.media.uploads(number).length;
    const media = { url: host.put(answer, path) };
    const { id, numbers } = await campaign(withFile(kind), ["Budi", "Sari"], { media });
    expect(await campaigns.done("POST", `/${id}/check`)).toMatchObject({ ready: true });
    expect((await run(id)).counts).toMatchObject({ sent: 2 });
    expect(cloud.graph.media.uploads(number)).toHaveLength(before + 1);
    const uploaded = cloud.graph.media.uploads(number).at(-1)!.id;
    for (const to of numbers) {
      expect(components(to)[0].parameters).toEqual([
        { type: kind, [kind]: { id: uploaded, ...(filename && { filename }) } },
      ]);
    }
  });

  test("is uploaded anew once when the platform refuses its id", async () => {
    const media = { url: host.put({ content: bigPng(300) }) };
    const first = await campaign(withFile("image"), ["Budi"], { media });
    await run(first.id);
    const before = cloud.graph.media.uploads(number).length;
    cloud.graph.media.uploads(number).at(-1)!.expired = true;
    const second = await campaign(withFile("image"), ["Sari"], { media });
    expect((await run(second.id)).counts).toMatchObject({ sent: 1 });
    expect(cloud.graph.media.uploads(number)).toHaveLength(before + 1);
  });

  test("of a column is each recipient's own", async () => {
    const own = [bigPng(400), bigPng(500)].map((content) => host.put({ content }));
    const numbers = [freshNumber(), freshNumber()];
    const plan = { message: undefined, template: withFile("image"), optout: "none" };
    const media = { column: "foto" };
    const id = await campaigns.create([number.digits], { ...plan, media });
    const lines = numbers.map((to, place) => `${to},Budi,${own[place]}`);
    await campaigns.upload(id, ["nomor,nama,foto", ...lines].join("\n"));
    expect((await run(id)).counts).toMatchObject({ sent: 2 });
    const ids = numbers.map((to) => components(to)[0].parameters[0].image.id);
    expect(new Set(ids).size).toBe(2);
  });

  test("of another kind than the template's fails with the platform's code", async () => {
    const media = { url: host.put({ content: pdf, type: "application/pdf" }, "/salah.pdf") };
    const { id } = await campaign(withFile("image"), ["Budi"], { media });
    expect((await run(id)).counts).toMatchObject({ failed: 1 });
    const [{ message }] = await rows(id);
    const failed = await cloud.gateway.json("message", "show", message, "--body");
    expect(failed).toMatchObject({ code: 500, sent_as: null });
    expect(failed.details).toMatch(/^132012 /);
  });

  test("that no header takes fails with 1003, and is not uploaded", async () => {
    const before = cloud.graph.media.uploads(number).length;
    const media = { url: host.put({ content: opus, type: "audio/ogg" }, "/suara.ogg") };
    const { id } = await campaign(withFile("image"), ["Budi"], { media });
    expect((await run(id)).counts).toMatchObject({ failed: 1 });
    expect(await rows(id)).toMatchObject([{ code: 1003 }]);
    expect(cloud.graph.media.uploads(number)).toHaveLength(before);
  });
});

describe("check says what does not fit", () => {
  const cases: [string, object, object, string][] = [
    [
      "no text for the header",
      { ...invitation, header: null },
      {},
      "its header has a variable, and the campaign gives the header no text",
    ],
    [
      "a text for a header without a variable",
      { ...withFile("polos"), header: "a" },
      {},
      "its header has no variable, and the campaign gives the header a text",
    ],
    [
      "too few buttons",
      { ...invitation, buttons: ["HEMAT20"] },
      {},
      "it has 2 buttons with a variable, and the campaign fills 1",
    ],
    ["no file", withFile("image"), {}, "its header needs a file: give the campaign media"],
    [
      "an empty button",
      { ...invitation, buttons: ["HEMAT20", " "] },
      {},
      "text 2 of the template's buttons is empty",
    ],
  ];
  test.each(cases)("%s", async (_, template, more, detail) => {
    const { id } = await campaign(template, ["Budi"], more);
    const { ready, problems } = await campaigns.done("POST", `/${id}/check`);
    expect(ready).toBe(false);
    const details = problems.map((problem: Json) => `${problem.code}: ${problem.detail}`);
    expect(
      details.some((one: string) => one.startsWith("template: ") && one.includes(detail)),
    ).toBe(true);
  });

  test("a file for a template that takes none", async () => {
    const media = { url: host.put({ content: png }) };
    const { id } = await campaign(invitation, ["Budi"], { media });
    const { problems } = await campaigns.done("POST", `/${id}/check`);
    expect(problems[0].detail).toContain("its header takes no file: remove the media");
  });
});

test("the list of templates says what each message must give", async () => {
  const key = await keyWith(cloud.account, SCOPES);
  const path = `/v1/devices/${number.digits}/templates`;
  const answer = await call(cloud.gateway, { method: "GET", path }, { key });
  const one = (name: string) => answer.json.items.find((each: Json) => each.name === name);
  expect(one("undangan")).toMatchObject({
    header: "Untuk {{1}}",
    header_needs: "text",
    fillable: true,
    body_only: false,
    buttons: [
      { place: 1, kind: "coupon", url: null },
      { place: 2, kind: "url", url: "https://toko.example/{{1}}" },
    ],
  });
  expect(one("image")).toMatchObject({ header: null, header_needs: "image", buttons: [] });
});

test("a campaign with header and buttons that is created in the terminal", async () => {
  const flags = ["--device", number.digits, "--purpose", "transactional", "--name", "Terminal"];
  const made = await cloud.gateway.json(
    ...["campaign", "create", cloud.account.id, ...flags, "--template", "undangan/id"],
    ...["--template-value", "{{nama}}", "--template-header", "{{nama}}"],
    ...["--template-button", "HEMAT20", "--template-button", "u/{{number}}"],
  );
  expect(made.template).toEqual(invitation);
  const shown = await cloud.cli("campaign", "show", made.id);
  expect(shown.stdout).toContain("u/{{number}}");
});

test("kill -9 while the platform takes it neither loses nor doubles it", async () => {
  const media = { url: host.put({ content: bigPng(600) }) };
  const { id, numbers } = await campaign(withFile("image"), ["Budi"], { media });
  const [to] = numbers as [string];
  cloud.graph.scripts.add({ to, type: "template", hang: true });
  await campaigns.act(id, "start");
  await waitFor("the platform to have it", () => cloud.graph.to(to).length === 1);
  await cloud.gateway.kill();
  await cloud.gateway.start();
  await waitFor("the row to end", async () => (await rows(id))[0].state === "sent", 30_000);
  expect(cloud.graph.to(to)).toHaveLength(1);
});
