// The test server of the official platform, tested with two unmodified public clients: what they
// send is taken, what it refuses they understand, and one receives its webhooks.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Graph } from "./graph/graph.ts";
import type { BusinessNumber } from "./graph/number.ts";
import {
  apiJs,
  GraphApiError,
  Image,
  kapso,
  normalizeWebhook,
  Text,
  verifySignature,
} from "./graph/testing/clients.ts";
import { sign } from "./graph/webhooks.ts";
import { png } from "./support/files.ts";
import { waitFor } from "./support/wait.ts";

const own = "6281100000001";
const friend = "6281234567890";
let graph: Graph;
let number: BusinessNumber;
let receiver: Server;
let hook: string;
const received: any[] = []; // What the client's receiver understood.

beforeAll(async () => {
  graph = await Graph.start();
  number = graph.addNumber({ number: own });
  const client = apiJs(graph, number);
  client.on.status = ({ id, status, error, biz_opaque_callback_data: opaque }: any) => {
    received.push({ id, status, code: error?.code, opaque });
  };
  client.on.message = ({ from, message, name }: any) => {
    received.push({ from, id: message.id, text: message.text?.body, name });
  };
  receiver = createServer(async (request, response) => {
    if (request.method === "GET") {
      try {
        response.end(client.handle_get(request));
      } catch (status) {
        response.writeHead(status as number).end();
      }
    } else {
      response.writeHead(await client.handle_post(request)).end();
    }
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  await graph.subscribe(hook, "rahasia");
});
afterAll(async () => {
  await graph.end();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const client = () => kapso(graph, number);
const text = (body: string, to = friend, opaque?: string) =>
  client().messages.sendText({
    phoneNumberId: number.id,
    to,
    body,
    ...(opaque && { bizOpaqueCallbackData: opaque }),
  });
const refused = async (request: Promise<unknown>): Promise<GraphApiError> => {
  const error = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(GraphApiError);
  return error as GraphApiError;
};
const upload = async (file: Buffer, type: string) =>
  (
    await client().media.upload({
      phoneNumberId: number.id,
      type: "image",
      file: new Blob([new Uint8Array(file)], { type }),
      fileName: "foto",
    })
  ).id;

test("a client's text is taken, and another client verifies the signed statuses", async () => {
  const { messages } = await text("Halo, “dunia” 🕊", friend, "req-1");
  const id = messages[0]!.id;
  expect(graph.of("Halo, “dunia” 🕊")).toMatchObject([{ id, to: friend, type: "text" }]);
  const statuses = () => received.filter((each) => each.id === id);
  await waitFor("two statuses", () => statuses().length === 2);
  expect(statuses()).toEqual([
    { id, status: "sent", code: undefined, opaque: "req-1" },
    { id, status: "delivered", code: undefined, opaque: "req-1" },
  ]);
});

test("an inbound text, with characters that are escaped, arrives at that client", async () => {
  const id = graph.receive(number, {
    from: friend,
    type: "text",
    content: { body: "Apa kabar 🕊 é" },
  });
  await waitFor("the text", () => received.some((each) => each.id === id));
  expect(received.find((each) => each.id === id)).toEqual({
    from: friend,
    id,
    text: "Apa kabar 🕊 é",
    name: "Budi",
  });
  const { body } = graph.webhooks.posts.find((post) => post.body.includes(id))!;
  expect(body).toMatch(/^[\0-~]*$/);
});

test("that client refuses other signatures, and another verify token", async () => {
  const body = JSON.stringify({ object: "whatsapp_business_account", entry: [] });
  expect(await graph.webhooks.post(body, sign(body, "salah"))).toBe(401);
  expect(await graph.webhooks.post(body)).not.toBe(200);
  await expect(graph.subscribe(hook, "salah")).rejects.toThrow("403");
});

test("the other client verifies the same bytes, and reads batches of several numbers", async () => {
  const other = graph.addNumber({ number: "6281100000002", waba: number.waba });
  graph.webhooks.hold();
  await text("satu");
  graph.receive(other, { from: friend, type: "text", content: { body: "dua" } });
  graph.webhooks.release();
  await graph.webhooks.settled();
  for (const { body } of graph.webhooks.posts.slice(-3)) {
    const genuine = {
      appSecret: graph.secret,
      rawBody: body,
      signatureHeader: sign(body, graph.secret),
    };
    expect(verifySignature(genuine)).toBe(true);
    expect(verifySignature({ ...genuine, appSecret: "salah" })).toBe(false);
    expect(
      normalizeWebhook(JSON.parse(body)).messages.length +
        normalizeWebhook(JSON.parse(body)).statuses.length,
    ).toBe(1);
  }
});

test("every kind of media goes by the id of an upload", async () => {
  const media = { id: await upload(png, "image/png") };
  expect(media.id).toMatch(/^\d+$/);
  const image = { ...media, caption: "foto" };
  await client().messages.sendImage({ phoneNumberId: number.id, to: friend, image });
  expect(graph.of("foto")).toMatchObject([{ type: "image", body: { image } }]);
  await apiJs(graph, number).sendMessage(number.id, friend, new Image(media.id, true, "lagi"));
  expect(graph.of("lagi")).toMatchObject([{ type: "image" }]);
  const wrong = { phoneNumberId: number.id, to: friend, sticker: media };
  expect(await refused(client().messages.sendSticker(wrong))).toMatchObject({ code: 131053 });
  const unknown = { phoneNumberId: number.id, to: friend, image: { id: "1" } };
  expect(await refused(client().messages.sendImage(unknown))).toMatchObject({ code: 100 });
  expect((await refused(upload(png, "image/gif"))).details).toContain("image/gif");
});

test("an inbound file is described, and opened by the token alone", async () => {
  const { media } = graph.receiveFile(number, friend, "image", {
    mime: "image/png",
    name: "foto.png",
    content: png,
  });
  const described = await client().media.get({ mediaId: media.id });
  expect(described).toMatchObject({ mimeType: "image/png", fileSize: png.length });
  const file = await client().media.download({ mediaId: media.id, auth: "always" });
  expect(Buffer.from(file as ArrayBuffer).equals(png)).toBe(true);
  expect((await fetch(described.url)).status).toBe(401);
});

test("number details, registration, and a code by SMS", async () => {
  const fresh = graph.addNumber({ number: "6281100000003", registered: false });
  const { phoneNumbers, messages } = kapso(graph, fresh);
  const phoneNumberId = fresh.id;
  const send = () => messages.sendText({ phoneNumberId, to: friend, body: "belum" });
  expect(await refused(send())).toMatchObject({ code: 133010, details: expect.any(String) });
  await phoneNumbers.requestCode({ phoneNumberId, codeMethod: "SMS", language: "id" });
  expect(await refused(phoneNumbers.verifyCode({ phoneNumberId, code: "1" }))).toMatchObject({
    code: 136025,
  });
  expect(await phoneNumbers.verifyCode({ phoneNumberId, code: fresh.code })).toEqual({
    success: true,
  });
  await phoneNumbers.register({ phoneNumberId, pin: "123456" });
  expect(await refused(phoneNumbers.register({ phoneNumberId, pin: "654321" }))).toMatchObject({
    code: 133005,
  });
  await send();
  expect(graph.of("belum")).toHaveLength(1);
  const answer = await fetch(`${graph.url}/v26.0/${number.id}?fields=display_phone_number,status`, {
    headers: { authorization: `Bearer ${number.token}` },
  });
  expect(await answer.json()).toEqual({
    display_phone_number: "+62 811-0000-0001",
    status: "CONNECTED",
    id: number.id,
  });
});

test("templates come in pages, and are sent with as many variables as they have", async () => {
  for (let index = 1; index <= 5; index += 1) {
    const body = index === 1 ? "Pesan: {{1}}" : "Halo";
    graph.templates.add(number.waba, { name: `kabar_${index}`, language: "id", body });
  }
  const businessAccountId = number.waba;
  const names: string[] = [];
  let after: string | undefined;
  do {
    const page: any = await client().templates.list({
      businessAccountId,
      limit: 2,
      ...(after && { after }),
    });
    names.push(...page.data.map(({ name }: any) => name));
    after = page.paging?.next && page.paging.cursors.after;
  } while (after);
  expect(names).toEqual([1, 2, 3, 4, 5].map((index) => `kabar_${index}`));
  const send = (...texts: string[]) =>
    client().messages.sendTemplate({
      phoneNumberId: number.id,
      to: friend,
      template: {
        name: "kabar_1",
        language: { code: "id" },
        components: [
          { type: "body", parameters: texts.map((each) => ({ type: "text", text: each })) },
        ],
      },
    });
  await send("siap");
  expect(graph.of("Pesan: siap")).toMatchObject([{ type: "template" }]);
  expect(await refused(send())).toMatchObject({ code: 132000 });
  expect(await refused(send("dua\nbaris"))).toMatchObject({ code: 132007 });
});

test("header and buttons of a template are judged as strictly as its body", async () => {
  graph.templates.add(number.waba, {
    name: "undangan",
    language: "id",
    header: "Untuk {{1}}",
    body: "Halo",
    buttons: [
      { type: "QUICK_REPLY", text: "Ya" },
      { type: "URL", url: "https://toko.example/{{1}}" },
      { type: "COPY_CODE" },
    ],
  });
  const file = { name: "foto", language: "id", file: "IMAGE", body: "Halo" } as const;
  graph.templates.add(number.waba, file);
  const send = async (name: string, ...components: object[]) => {
    const reply = await fetch(`${graph.url}/v26.0/${number.id}/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${number.token}`, "content-type": "application/json" },
      body: JSON.stringify({
        messaging_product: "whatsapp",
        recipient_type: "individual",
        to: friend,
        type: "template",
        template: { name, language: { code: "id" }, components },
      }),
    });
    return ((await reply.json()) as any).error?.code;
  };
  const header = (...parameters: object[]) => ({ type: "header", parameters });
  const text = { type: "text", text: "Budi" };
  const button = (index: unknown, kind: string, ...parameters: object[]) => ({
    ...{ type: "button", sub_type: kind, index, parameters },
  });
  const url = button("1", "url", { type: "text", text: "p/7" });
  const coupon = button("2", "copy_code", { type: "coupon_code", coupon_code: "HEMAT20" });
  expect(await send("undangan", header(text), url, coupon)).toBeUndefined();
  expect(await send("undangan", header(text), button(1, "url", text), coupon)).toBeUndefined();
  expect(await send("undangan", url, coupon)).toBe(132000);
  expect(await send("undangan", header(text, text), url, coupon)).toBe(132000);
  expect(await send("undangan", header(text), coupon)).toBe(131008);
  expect(await send("undangan", header(text), url, url, coupon)).toBe(131008);
  expect(await send("undangan", header(text), url)).toBe(131008);
  expect(await send("undangan", header(text), url, coupon, button("0", "url", text))).toBe(132012);
  expect(await send("undangan", header(text), url, button("2", "url", text))).toBe(132012);
  const long = { type: "coupon_code", coupon_code: "x".repeat(16) };
  expect(await send("undangan", header(text), url, button("2", "copy_code", long))).toBe(131009);
  expect(await send("foto")).toBe(132012);
  expect(await send("foto", header(text))).toBe(132012);
  expect(await send("foto", header({ type: "image", image: { id: "1" } }))).toBe(100);
  const link = { link: "https://example.org/a.png" };
  expect(await send("foto", header({ type: "image", image: link }))).toBeUndefined();
  expect(await send("foto", header({ type: "image", image: { ...link, id: "1" } }))).toBe(100);
});

test("free text outside the window is refused, at once or by a webhook", async () => {
  const cold = "6281234567899";
  number.windowClosed = "answer";
  expect(await refused(text("tutup", cold))).toMatchObject({ code: 131047 });
  number.windowClosed = "webhook";
  const { messages } = await text("tutup", cold);
  await waitFor("its failure", () => received.some((each) => each.id === messages[0]!.id));
  expect(received.find((each) => each.id === messages[0]!.id)).toMatchObject({
    status: "failed",
    code: 131047,
  });
  graph.receive(number, { from: cold, type: "text", content: { body: "buka" } });
  await text("terbuka", cold);
  expect(graph.of("terbuka")[0]!.failed).toBe(false);
  number.windowClosed = undefined;
});

test("scripted refusals come with their code and Retry-After, which the client reads", async () => {
  graph.scripts.add({ to: friend, refuse: { code: 130429, retryAfter: 7 } });
  const error = await refused(text("terlalu cepat"));
  expect(error).toMatchObject({ code: 130429, httpStatus: 429, retry: { retryAfterMs: 7_000 } });
  expect(error.isRateLimit()).toBe(true);
  await text("sekarang boleh");
  number.tokenSubcode = 463;
  expect((await refused(text("ditolak"))).isAuthError()).toBe(true);
  number.tokenSubcode = undefined;
});

test("an answer can be lost, and statuses come late, doubled and in any order", async () => {
  graph.webhooks.hold();
  graph.scripts.add({ lose: "answer" });
  await expect(text("hilang", friend, "req-2")).rejects.toThrow();
  expect(graph.of("hilang")).toHaveLength(1);
  graph.scripts.add({ lose: "request" });
  await expect(text("tak pernah")).rejects.toThrow();
  expect(graph.of("tak pernah")).toHaveLength(0);
  graph.webhooks.release({ reversed: true, times: 2 });
  await graph.webhooks.settled();
  const told = received.filter(({ opaque }) => opaque === "req-2").map(({ status }) => status);
  expect(told).toEqual(["delivered", "sent", "delivered", "sent"]);
});

test("typing needs an inbound message", async () => {
  const id = graph.receive(number, { from: friend, type: "text", content: { body: "hai" } });
  const mark = (messageId: string) =>
    client().messages.markRead({
      phoneNumberId: number.id,
      messageId,
      typingIndicator: { type: "text" },
    });
  await mark(id);
  expect(graph.typing.at(-1)).toMatchObject({ message_id: id, typing_indicator: { type: "text" } });
  expect(await refused(mark("wamid.unknown"))).toMatchObject({ code: 131009 });
  await graph.webhooks.settled();
});

test("a text that is none, and fields that do not exist, are refused", async () => {
  const send = (body: object) =>
    fetch(`${graph.url}/v26.0/${number.id}/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${number.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const good = { messaging_product: "whatsapp", recipient_type: "individual", to: friend };
  expect((await send({ ...good, type: "text", text: { body: "x", bold: true } })).status).toBe(400);
  expect((await send({ ...good, type: "text", text: { body: "x".repeat(4097) } })).status).toBe(
    400,
  );
  expect((await send({ ...good, to: own, type: "text", text: { body: "x" } })).status).toBe(400);
  const another = graph.addNumber({ number: "6281100000009" });
  const wrong = kapso(graph, another).messages.sendText({
    phoneNumberId: number.id,
    to: friend,
    body: "bukan milikku",
  });
  expect(await refused(wrong)).toMatchObject({ code: 100 });
  await apiJs(graph, number).sendMessage(number.id, friend, new Text("cukup"));
  expect(graph.of("cukup")).toHaveLength(1);
});
