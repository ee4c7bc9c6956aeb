// Webhooks of a linked phone: received messages, and statuses of sent messages.
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, keyWith } from "./support/catalogue.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { Platform } from "./support/platform.ts";
import type { Account } from "./support/account.ts";
import { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";

const number = freshNumber();
const friend = freshNumber();
let platform: Platform;
let sink: Sink;
let gateway: Gateway;
let account: Account;

beforeAll(async () => {
  [platform, sink] = await Promise.all([Platform.start(), Sink.open({ secure: false })]);
  gateway = await Gateway.create({
    settings: { ...platform.settings, "outbound.allow_http_callbacks": true },
  });
  account = await gateway.account();
  await account.createKey();
  await platform.ask("register", { number: friend });
  await platform.link(account, number, "--webhook", sink.url("/device"));
}, 120_000);
afterAll(async () => {
  await gateway.close();
  await sink.close();
  await platform.end();
});

const told = (event: string, matches: (data: any) => boolean) =>
  waitFor(event, async () =>
    sink.at("/device").find(({ json }) => json.event === event && matches(json.data)),
  );

test("a text and a picture that it receives are told", async () => {
  const text = freshText();
  await platform.ask("send", { number: friend, to: number, text });
  const { json } = await told("message.received", (data) => data.text === text);
  expect(json.data).toMatchObject({ from: friend, type: "text" });
  const picture = {
    media: "image",
    mimetype: "image/png",
    data: Buffer.from("a picture").toString("base64"),
    caption: `${text} juga`,
  };
  await platform.ask("send", { number: friend, to: number, ...picture });
  const second = await told("message.received", (data) => data.text === picture.caption);
  expect(second.json.data).toMatchObject({ type: "image", media: { mime: "image/png" } });
  const { path } = second.json.data.media;
  const key = await keyWith(account, ["messages:read"]);
  const file = await call(gateway, { method: "GET", path }, { key });
  expect(file.status, file.text).toBe(200);
  expect(file.headers["content-type"]).toBe("image/png");
  expect(file.text).toBe("a picture");
  expect(JSON.stringify(second.json)).not.toContain("reference");
});

test("delivery and reading of what it sends are told", async () => {
  const message = freshText();
  const reply = await account.send({ to: friend, from: number, message, Type: "text" });
  expectAccepted(reply);
  const { requestId } = reply.json.data;
  await told(
    "message.status",
    (data) => data.requestId === requestId && data.status === "delivered",
  );
  const { id } = await platform.event({ type: "shown", number: friend, text: message });
  await platform.ask("read", { number: friend, to: number, ids: [id] });
  await told("message.status", (data) => data.requestId === requestId && data.status === "read");
});
