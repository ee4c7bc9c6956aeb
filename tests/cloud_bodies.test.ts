// What the gateway sends, compared with what two public clients send for the same content.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Taken } from "./graph/payloads.ts";
import {
  apiJs,
  Audio,
  BodyComponent,
  BodyParameter,
  CopyComponent,
  Document,
  HeaderComponent,
  HeaderParameter,
  Image,
  kapso,
  Sticker,
  Template,
  Text,
  URLComponent,
  Video,
} from "./graph/testing/clients.ts";
import { Campaigns } from "./support/campaigns.ts";
import { Cloud } from "./support/cloud.ts";
import { mp4, opus, pdf, png } from "./support/files.ts";
import { MediaServer, type MediaAnswer } from "./support/media_server.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

let cloud: Cloud;
let host: MediaServer;

beforeAll(async () => {
  cloud = await Cloud.open();
  host = await MediaServer.open();
});
afterAll(async () => {
  await cloud.close();
  await host.close();
});

/** The body of the only message to this recipient that the gateway sent. */
async function ours(fields: object, to = freshNumber()): Promise<{ body: any; id: string }> {
  const body = { to, from: cloud.number.digits, ...fields };
  const reply = await cloud.account.send(body);
  expect(reply.status, reply.text).toBe(200);
  const taken = await waitFor("the message", () => cloud.graph.to(to)[0]);
  return { body: taken.body, id: reply.json.data.requestId };
}

/** What the last message had that a client sent. */
const theirs = (): any => (cloud.graph.taken.at(-1) as Taken).body;

test("a text, with and without a link", async () => {
  for (const message of [freshText("halo “dunia” 🕊"), `${freshText()} https://example.org/a?b=c`]) {
    const { body, id } = await ours({ message, Type: "text" });
    const previewUrl = message.includes("https://");
    await kapso(cloud.graph, cloud.number).messages.sendText({
      phoneNumberId: cloud.number.id,
      to: body.to,
      body: message,
      previewUrl,
      bizOpaqueCallbackData: id,
    });
    expect(body).toEqual(theirs());
    const client = apiJs(cloud.graph, cloud.number);
    await client.sendMessage(
      cloud.number.id,
      body.to,
      new Text(message, previewUrl),
      undefined,
      id,
    );
    const { text, ...rest } = body;
    const { text: other, ...others } = theirs();
    expect(rest).toEqual(others);
    expect(text).toEqual({ preview_url: false, ...other });
  }
});

const webp = Buffer.from(
  "RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0",
  "latin1",
);
type Make = (id: string, caption: string) => Image | Video | Audio | Document | Sticker;
const kinds: [kind: string, answer: MediaAnswer, path: string, caption: boolean, make: Make][] = [
  ["image", { content: png }, "/a.png", true, (id, text) => new Image(id, true, text)],
  [
    "video",
    { content: mp4, type: "video/mp4" },
    "/a.mp4",
    true,
    (id, text) => new Video(id, true, text),
  ],
  ["audio", { content: opus, type: "audio/ogg" }, "/a.ogg", false, (id) => new Audio(id, true)],
  [
    "document",
    { content: pdf, type: "application/pdf" },
    "/nota.pdf",
    true,
    (id, text) => new Document(id, true, text, "nota.pdf"),
  ],
  [
    "sticker",
    { content: webp, type: "image/webp" },
    "/a.webp",
    false,
    (id) => new Sticker(id, true),
  ],
];

test.each(kinds)("%s by the id of its upload", async (kind, answer, path, hasCaption, make) => {
  const caption = hasCaption ? freshText() : "";
  const url = host.put(answer, path);
  const { body, id } = await ours({ Type: "media", url, ...(caption && { message: caption }) });
  const media = make(body[kind].id, caption);
  await apiJs(cloud.graph, cloud.number).sendMessage(
    cloud.number.id,
    body.to,
    media,
    undefined,
    id,
  );
  expect(body).toEqual(theirs());
  const { messages } = kapso(cloud.graph, cloud.number);
  const shared = { phoneNumberId: cloud.number.id, to: body.to, bizOpaqueCallbackData: id };
  const content = { ...media } as any;
  if (kind === "image") await messages.sendImage({ ...shared, image: content });
  else if (kind === "video") await messages.sendVideo({ ...shared, video: content });
  else if (kind === "audio") await messages.sendAudio({ ...shared, audio: content });
  else if (kind === "document") await messages.sendDocument({ ...shared, document: content });
  else await messages.sendSticker({ ...shared, sticker: content });
  expect(body).toEqual(theirs());
});

test.each([false, true])("a template, with named variables: %s", async (named) => {
  const number = await cloud.connect();
  const body = named ? "Kabar: {{isi}}" : "Kabar: {{1}}";
  cloud.graph.templates.add(number.waba, { name: "kabar", language: "id", body, named });
  await cloud.gateway.json("device", "set", number.digits, "--fallback-template", "kabar:id");
  number.windowClosed = "answer";
  const message = freshText();
  const { body: sent, id } = await ours({ from: number.digits, message, Type: "text" });
  const parameter = { type: "text", ...(named && { parameterName: "isi" }), text: message };
  await kapso(cloud.graph, number).messages.sendTemplate({
    phoneNumberId: number.id,
    to: sent.to,
    template: {
      name: "kabar",
      language: { code: "id" },
      components: [{ type: "body", parameters: [parameter] }],
    },
    bizOpaqueCallbackData: id,
  } as any);
  expect(sent).toEqual(theirs());
});

test("a template with a file in its header, and with buttons", async () => {
  const number = await cloud.connect();
  cloud.graph.templates.add(number.waba, {
    name: "promo",
    language: "id",
    file: "IMAGE",
    body: "Halo {{1}}.",
    buttons: [{ type: "URL", url: "https://toko.example/{{1}}" }, { type: "COPY_CODE" }],
  });
  const campaigns = await Campaigns.of(cloud.account);
  const id = await campaigns.create([number.digits], {
    message: undefined,
    template: { name: "promo", language: "id", variables: ["Budi"], buttons: ["p/7", "HEMAT20"] },
    media: { url: host.put({ content: png }) },
    optout: "none",
  });
  const to = freshNumber();
  const { messages } = await campaigns.done("POST", `/${id}/test`, { to: [to] });
  const sent = await waitFor("the message", () => cloud.graph.to(to)[0]);
  const [header] = sent.body["template"].components;
  await apiJs(cloud.graph, number).sendMessage(
    number.id,
    to,
    new Template(
      "promo",
      "id",
      new HeaderComponent(new HeaderParameter(new Image(header.parameters[0].image.id, true))),
      new BodyComponent(new BodyParameter("Budi")),
      new URLComponent("p/7"),
      new CopyComponent("HEMAT20"),
    ),
    undefined,
    messages[0].message,
  );
  const { template: other, ...others } = theirs();
  const { template, ...rest } = sent.body;
  expect(rest).toEqual(others);
  // The client has numbers as indexes, and a policy that no longer means anything.
  const indexed = other.components.map(({ index, ...more }: any) =>
    index === undefined ? more : { ...more, index: String(index) },
  );
  expect(template).toEqual({ ...other, language: { code: "id" }, components: indexed });
});

test("typing", async () => {
  const from = freshNumber();
  const messageId = cloud.graph.receive(cloud.number, {
    from,
    type: "text",
    content: { body: freshText() },
  });
  await cloud.graph.webhooks.settled();
  await ours({ message: freshText(), Type: "text", typing: true }, from);
  const [own] = cloud.graph.typing;
  await kapso(cloud.graph, cloud.number).messages.markRead({
    phoneNumberId: cloud.number.id,
    messageId,
    typingIndicator: { type: "text" },
  });
  expect(own).toEqual(cloud.graph.typing.at(-1));
  await apiJs(cloud.graph, cloud.number).markAsRead(cloud.number.id, messageId, "text");
  expect(own).toEqual(cloud.graph.typing.at(-1));
});

test("an upload has what a client's upload has", async () => {
  const url = host.put({ content: Buffer.concat([png, Buffer.from(freshText())]) });
  await ours({ Type: "media", url });
  const asked = cloud.graph.asked.filter(({ path }) => path.endsWith("/media")).at(-1)!;
  expect(asked.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
  expect(asked.headers["authorization"]).toBe(`Bearer ${cloud.number.token}`);
  expect(asked.version).toBe("v26.0");
});
