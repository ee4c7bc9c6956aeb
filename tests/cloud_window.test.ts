// Texts outside the platform's 24 hours, and the template that goes in their place.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BusinessNumber } from "./graph/number.ts";
import { png } from "./support/files.ts";
import { Cloud } from "./support/cloud.ts";
import { MediaServer } from "./support/media_server.ts";
import { freshNumber, freshText } from "./support/numbers.ts";

let cloud: Cloud;
let number: BusinessNumber;
const own = "Kabar dari toko: ";

beforeAll(async () => {
  cloud = await Cloud.open();
  number = cloud.number;
  const body = `${own}{{1}}`;
  cloud.graph.templates.add(number.waba, { name: "kabar", language: "id", body });
  await cloud.gateway.json("device", "set", number.digits, "--fallback-template", "kabar:id");
});
afterAll(() => cloud.close());

const send = async (message: string, to = freshNumber(), more: object = {}) => {
  const path = `/${freshText().split(" ").pop()}`;
  const fields = { to, from: number.digits, message, Type: "text", ...more };
  const reply = await cloud.account.send({ ...fields, callbackStatus: cloud.sink.url(path) });
  expect(reply.status, reply.text).toBe(200);
  return { id: reply.json.data.requestId as string, to, message, path };
};

describe.each(["answer", "webhook"] as const)("refused by %s", (by) => {
  beforeAll(() => {
    number.windowClosed = by;
  });

  test("the same message goes once more as the template, and is told once", async () => {
    const text = freshText();
    const sent = await send(text);
    const told = await cloud.end(sent);
    expect(told).toMatchObject({ requestId: sent.id, status: "sent", code: 200 });
    const taken = cloud.graph.to(sent.to);
    expect(taken.map(({ type }) => type)).toEqual(
      by === "answer" ? ["template"] : ["text", "template"],
    );
    expect(taken.at(-1)!.text).toBe(own + text);
    expect(told.messageid).toBe(taken.at(-1)!.id);
    expect(cloud.ends(sent)).toBe(1);
    const shown = await cloud.gateway.json("message", "show", sent.id, "--body");
    expect(shown).toMatchObject({ body: text, template: null, sent_as: { body: own + text } });
  });

  test("runs of blanks become one blank, and 1,024 characters are the most", async () => {
    const sent = await send("  kenari satu\r\n\n dua\t\ttiga      empat  ");
    await cloud.end(sent);
    expect(cloud.graph.to(sent.to).at(-1)!.text).toBe(`${own}kenari satu dua tiga empat`);
    const long = `kenari ${"é".repeat(2_000)}`;
    const longest = await send(long);
    expect(await cloud.end(longest)).toMatchObject({ code: 200 });
    const { text } = cloud.graph.to(longest.to).at(-1)!;
    expect([...text]).toHaveLength(1_024);
    expect((own + long).startsWith(text)).toBe(true);
  });

  test("who wrote within the day gets free text, never the template", async () => {
    const to = freshNumber();
    cloud.graph.receive(number, { from: to, type: "text", content: { body: freshText() } });
    const sent = await send(freshText(), to);
    expect(await cloud.end(sent)).toMatchObject({ code: 200 });
    expect(cloud.graph.to(to).map(({ type }) => type)).toEqual(["text"]);
    const shown = await cloud.gateway.json("message", "show", sent.id, "--body");
    expect(shown.sent_as).toBeNull();
  });

  test("media fail, and details say why", async () => {
    const host = await MediaServer.open();
    const url = host.put({ content: png });
    const sent = await send("kenari", freshNumber(), { Type: "media", url });
    const told = await cloud.end(sent);
    expect(told).toMatchObject({ status: "failed", code: 500 });
    expect(told.details).toMatch(/^131047 /);
    expect(cloud.graph.to(sent.to).every(({ type }) => type === "image")).toBe(true);
    await host.close();
  });

  test("without a template it fails, and details say why", async () => {
    const bare = await cloud.connect();
    bare.windowClosed = by;
    const sent = await cloud.send(undefined, bare);
    const told = await cloud.end(sent);
    expect(told).toMatchObject({ status: "failed", code: 500 });
    expect(told.details).toMatch(/^131047 /);
    expect(cloud.ends(sent)).toBe(1);
  });

  test("a template that is refused fails the message once", async () => {
    const to = freshNumber();
    cloud.graph.scripts.add({ to, type: "template", refuse: { code: 132015 } });
    const sent = await send(freshText(), to);
    expect(await cloud.end(sent)).toMatchObject({ status: "failed", code: 500 });
    expect(cloud.graph.to(to).filter(({ type }) => type === "template")).toHaveLength(1);
  });

  test("kill -9 before the template went does not lose the message", async () => {
    const to = freshNumber();
    const passing = { code: 131016, retryAfter: 2 };
    cloud.graph.scripts.add({ to, type: "template", refuse: passing });
    const sent = await send(freshText(), to);
    while (cloud.graph.to(to).every(({ type }) => type !== "template")) {
      await new Promise((resolve) => setTimeout(resolve, 10)); // Of the server, which tells nobody.
    }
    await cloud.gateway.kill();
    await cloud.gateway.start();
    expect(await cloud.end(sent, 30_000)).toMatchObject({ code: 200 });
    const taken = cloud.graph.to(to).filter(({ failed }) => !failed);
    expect(taken.map(({ type }) => type)).toEqual(["template"]);
  });
});

test("a one-time code goes as an authentication template, and its button copies it", async () => {
  const shop = await cloud.connect();
  shop.windowClosed = "answer";
  const body = "*{{1}}* adalah kode verifikasi Anda.";
  const code = { name: "kode", language: "id", body, copies: true };
  cloud.graph.templates.add(shop.waba, code);
  await cloud.gateway.json("device", "set", shop.digits, "--fallback-template", "kode:id");
  const to = freshNumber();
  const sent = await send("482913", to, { from: shop.digits });
  expect(await cloud.end(sent)).toMatchObject({ status: "sent", code: 200 });
  const [taken] = cloud.graph.to(to);
  expect(taken!.text).toBe("*482913* adalah kode verifikasi Anda.");
  expect(taken!.body["template"].components[1].parameters).toEqual([
    { type: "text", text: "482913" },
  ]);
});
