// The stand-in as a program, controlled over HTTP.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "./standin/testing/client.ts";
import { silenceLibsignal } from "./standin/phone/quiet.ts";
import { within } from "./support/wait.ts";

interface Where {
  url: string;
  root_file: string;
  root_key: string;
  control: string;
}

let program: ChildProcess;
let where: Where;
let client: Client | undefined;

beforeAll(async () => {
  silenceLibsignal();
  const start = resolve(import.meta.dirname, "standin/start.mjs");
  program = spawn(process.execPath, [start, "--with-parent"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: program.stdout! });
  const [line] = (await within("the stand-in's line", once(lines, "line"))) as [string];
  where = JSON.parse(line) as Where;
});
afterAll(async () => {
  await client?.end();
  const ended = once(program, "exit");
  program.stdin?.end();
  expect(await within("the stand-in's end", ended)).toEqual([0, null]);
});

async function control(word: string, body: unknown = {}): Promise<Record<string, unknown>> {
  const reply = await fetch(`${where.control}/${word}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  const json = (await reply.json()) as Record<string, unknown>;
  if (!reply.ok) throw new Error(String(json["error"]));
  return json;
}

test("a program links a client, and sees what it sends, by HTTP alone", async () => {
  client = new Client({ url: where.url, rootCertificate: readFileSync(where.root_file, "utf8") });
  const qr = await client.qr();
  expect(await control("scan", { number: "628112000001", qr })).toEqual({ device: 1 });
  await client.linked();
  await control("register", { number: "628112000002" });
  const id = await client.text("628112000002", "lewat HTTP");
  const match = { type: "shown", number: "628112000002" };
  const { events } = await control("events", { match, wait: 10_000 });
  expect(events).toMatchObject([{ id, text: "lewat HTTP", from: "628112000001" }]);
  expect(await control("shown", { number: "628112000002" })).toMatchObject({
    messages: [{ id, kind: "text", text: "lewat HTTP", chat: "628112000001" }],
  });
  const sent = await control("send", { number: "628112000002", to: "628112000001", text: "balas" });
  expect((await client.message("balas")).key.id).toBe(sent["id"]);
});

test("what cannot be done is said", async () => {
  await expect(control("fly")).rejects.toThrow("no action is called /fly");
  await expect(control("scan", { number: "628112000001", qr: "x" })).rejects.toThrow("QR code");
  await expect(control("close", { number: "628112000009", code: 515 })).rejects.toThrow(
    "no such companion",
  );
});
