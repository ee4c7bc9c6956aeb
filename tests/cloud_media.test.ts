// Files through the official platform: uploaded once, sent by their kind, and fetched on demand.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cloud } from "./support/cloud.ts";
import { call, keyWith } from "./support/catalogue.ts";
import { bigPng, gif, jpeg, mp4, opus, pdf, png, sha256, shapeless } from "./support/files.ts";
import { MediaServer, type MediaAnswer } from "./support/media_server.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

let cloud: Cloud;
let host: MediaServer;
let key: string;

beforeAll(async () => {
  cloud = await Cloud.open();
  host = await MediaServer.open();
  key = await keyWith(cloud.account, ["messages:read"]);
});
afterAll(async () => {
  await cloud.close();
  await host.close();
});

const webp = Buffer.concat([
  Buffer.from(
    "RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0",
    "latin1",
  ),
]);

async function send(url: string, message = "", from = cloud.number) {
  const path = `/${freshText().split(" ").pop()}`;
  const to = freshNumber();
  const text = message && { message };
  const body = { to, from: from.digits, Type: "media", url, ...text };
  const reply = await cloud.account.send({ ...body, callbackStatus: cloud.sink.url(path) });
  expect(reply.status, reply.text).toBe(200);
  return { id: reply.json.data.requestId as string, to, message, path };
}
const uploads = (from = cloud.number) => cloud.graph.media.uploads(from);
const fresh = () => bigPng(200);

const kinds: [kind: string, answer: MediaAnswer, name: string, filename?: string][] = [
  ["image", { content: png }, "/foto.png"],
  ["image", { content: jpeg, type: "image/jpeg" }, "/foto.jpg"],
  ["video", { content: mp4, type: "video/mp4" }, "/film.mp4"],
  ["audio", { content: opus, type: "audio/ogg" }, "/suara.ogg"],
  ["document", { content: pdf, type: "application/pdf" }, "/nota%20baru.pdf", "nota baru.pdf"],
  ["sticker", { content: webp, type: "image/webp" }, "/stiker.webp"],
];

test.each(kinds)(
  "%s: what is uploaded is the file, and is sent by its id",
  async (kind, answer, name, filename) => {
    const sent = await send(host.put(answer, name));
    expect(await cloud.end(sent)).toMatchObject({ requestId: sent.id, status: "sent", code: 200 });
    const [taken] = cloud.graph.to(sent.to);
    expect(taken!.type).toBe(kind);
    const media = cloud.graph.media.get(taken!.body[kind].id)!;
    expect(sha256(media.content)).toBe(sha256(answer.content!));
    expect(taken!.body[kind].filename).toBe(filename);
  },
);

test("a content is uploaded once a number, and its id is used again", async () => {
  const content = fresh();
  const [first, second] = [host.put({ content }), host.put({ content })];
  const before = uploads().length;
  const ids = [];
  for (const url of [first, second, first]) {
    const sent = await send(url);
    await cloud.end(sent);
    ids.push(cloud.graph.to(sent.to)[0]!.body["image"].id);
  }
  expect(new Set(ids).size).toBe(1);
  expect(uploads()).toHaveLength(before + 1);
  const other = await cloud.connect();
  const sent = await send(first, "", other);
  expect(await cloud.end(sent)).toMatchObject({ code: 200 });
  expect(uploads(other)).toHaveLength(1);
});

test("an id that the platform refuses is uploaded anew, once", async () => {
  const content = fresh();
  const url = host.put({ content });
  await cloud.end(await send(url));
  const before = uploads().length;
  uploads().at(-1)!.expired = true;
  const again = await send(url);
  expect(await cloud.end(again)).toMatchObject({ status: "sent", code: 200 });
  expect(uploads()).toHaveLength(before + 1);
  const to = freshNumber();
  const refuse = { code: 131053 };
  cloud.graph.scripts.add({ type: "image", refuse, times: 2 });
  const refused = await send(url);
  expect(await cloud.end(refused)).toMatchObject({ status: "failed", code: 1003 });
  expect(uploads()).toHaveLength(before + 2);
  cloud.graph.scripts.clear();
  expect(cloud.graph.to(to)).toEqual([]);
});

test("an id that a report refuses is uploaded anew, and the message goes once more", async () => {
  const url = host.put({ content: fresh() });
  await cloud.end(await send(url));
  const before = uploads().length;
  cloud.graph.scripts.add({ type: "image", report: { code: 131053 } });
  const again = await send(url);
  expect(await cloud.end(again)).toMatchObject({ status: "sent", code: 200 });
  expect(uploads()).toHaveLength(before + 1);
  expect(cloud.graph.to(again.to).map(({ failed }) => failed)).toEqual([true, false]);
  expect(cloud.ends(again)).toBe(1);
});

test.each([
  ["a type without a route", { content: gif, type: "image/gif" }],
  ["an image of more than 5 MB", { content: bigPng(5 * 1024 * 1024 + 1) }],
  [
    "a sticker of more than 500 KB",
    { content: Buffer.concat([webp, shapeless(500 * 1024)]), type: "image/webp" },
  ],
])("%s is refused before an upload", async (_, answer) => {
  const before = uploads().length;
  const sent = await send(host.put(answer));
  const told = await cloud.end(sent);
  expect(told).toMatchObject({ status: "failed" });
  expect([500, 1003]).toContain(told.code);
  expect(uploads()).toHaveLength(before);
});

test("a text goes as the caption, or as a text after what takes none or less", async () => {
  const caption = freshText();
  const image = await send(host.put({ content: fresh() }), caption);
  await cloud.end(image);
  expect(cloud.graph.to(image.to)).toMatchObject([{ type: "image", text: caption }]);
  const long = `kenari ${"é".repeat(1_100)}`;
  const cases: [MediaAnswer, string, string][] = [
    [{ content: opus, type: "audio/ogg" }, "audio", freshText()],
    [{ content: webp, type: "image/webp" }, "sticker", freshText()],
    [{ content: fresh() }, "image", long],
  ];
  for (const [answer, kind, text] of cases) {
    const sent = await send(host.put(answer), text);
    expect(await cloud.end(sent)).toMatchObject({ status: "sent", code: 200 });
    expect(cloud.graph.to(sent.to)).toMatchObject([
      { type: kind, text: "" },
      { type: "text", text },
    ]);
    expect(cloud.ends(sent)).toBe(1);
  }
});

test("an upload that the platform cannot take now is tried again", async () => {
  cloud.graph.scripts.add({ on: "media", refuse: { code: 131016, retryAfter: 1 } });
  cloud.graph.scripts.add({ on: "media", lose: "answer" });
  const sent = await send(host.put({ content: fresh() }));
  expect(await cloud.end(sent)).toMatchObject({ status: "sent", code: 200 });
  expect(cloud.graph.to(sent.to)).toHaveLength(1);
});

async function received(content: Buffer) {
  const from = freshNumber();
  const file = { mime: "image/png", name: "foto.png", content, caption: "kenari foto" };
  const { media } = cloud.graph.receiveFile(cloud.number, from, "image", file);
  const told = () =>
    cloud.events(cloud.number, "message.received").find((message) => message.from === from);
  await waitFor("the picture", told);
  return { media, told: told() };
}
const download = (path: string) => call(cloud.gateway, { method: "GET", path }, { key });

test("a received file is fetched when somebody asks for it, and not before", async () => {
  const { media, told } = await received(png);
  expect(told).toMatchObject({ type: "image", text: "kenari foto", media: { mime: "image/png" } });
  expect(media.downloads).toBe(0);
  const answer = await download(told.media.path);
  expect(answer.status).toBe(200);
  expect(answer.headers["content-length"] ?? String(png.length)).toBe(String(png.length));
  expect(answer.text).toContain("IHDR");
  expect(media.downloads).toBe(1);
});

test("a file that the platform has no more is not found", async () => {
  const { media, told } = await received(png);
  media.expired = true;
  expect((await download(told.media.path)).status).toBe(404);
});

test("a redirect takes no token along", async () => {
  const { told } = await received(png);
  const elsewhere = host.put({ content: png });
  cloud.graph.scripts.add({ on: "download", redirect: elsewhere });
  await download(told.media.path);
  expect(host.requests(elsewhere).some(({ headers }) => "authorization" in headers)).toBe(false);
});

test("a descriptor that points to another host is not followed", async () => {
  const { told } = await received(png);
  const stranger = await MediaServer.open("127.0.0.2");
  cloud.graph.mediaHost = `http://127.0.0.2:${stranger.port}`;
  const answer = await download(told.media.path);
  cloud.graph.mediaHost = undefined;
  expect(answer.status).not.toBe(200);
  expect(stranger.connections).toBe(0);
  await stranger.close();
});
