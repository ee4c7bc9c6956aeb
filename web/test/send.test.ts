// The page Send: numbers as people type them, and what is kept of a send that failed.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Device, MessageDetail } from "../src/api/types.ts";
import { FormStore } from "../src/features/send/form_store.ts";
import { fileNameOf } from "../src/features/send/preview.tsx";
import { addRecipients, checkNumber } from "../src/features/send/recipients.ts";
import { firstSender } from "../src/features/send/send.tsx";
import { bodyOf, charactersOf, EMPTY_FORM } from "../src/features/send/send_form.ts";
import { sendAll } from "../src/features/send/sending.ts";
import { reasonText } from "../src/texts/reasons.ts";

const RINA = "6281234567890";
const BUDI = "6281234567891";

beforeEach(() => sessionStorage.clear());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test.each([
  ["0812-3456-7890", { number: RINA }],
  ["+62 (0)812 3456 7890", { number: RINA }],
  ["0812/3456.7890", { number: RINA }],
  ["081234", { fault: "short" }],
  ["08123456789012345", { fault: "long" }],
  ["0812 Rina", { fault: "letters" }],
  ["6.28E+12", { fault: "letters" }],
])("'%s' is checked: %j", (typed, found) => {
  expect(checkNumber(typed)).toEqual(found);
});

test("pasted lines become recipients once, and what is no number stays typed", () => {
  const pasted = `0812-3456-7890\r\n+${RINA}\n${BUDI}; Rina`;
  expect(addRecipients([], pasted)).toEqual({ to: [RINA, BUDI], typed: "Rina", fault: "letters" });
});

test("an eleventh recipient stays typed", () => {
  const ten = Array.from({ length: 10 }, (_, place) => `628123456780${place}`);
  expect(addRecipients(ten, RINA)).toEqual({ to: ten, typed: RINA, fault: "many" });
  expect(addRecipients(ten, ten[3] ?? "").fault).toBeUndefined();
});

test("characters are counted as the gateway counts them", () => {
  expect(charactersOf("Halo 😀")).toBe(6);
});

test("a request has no empty fields, and the delay in seconds", () => {
  const form = { ...EMPTY_FORM, from: BUDI, text: "Halo" };
  const common = { account: "acc_1", from: BUDI, to: RINA, typing: false };
  const media = { ...form, type: "media" as const, text: "", url: " https://a.example/b.pdf " };
  expect(bodyOf(form, "acc_1", RINA)).toEqual({ ...common, type: "text", message: "Halo" });
  expect(bodyOf({ ...media, delay: "s300" }, "acc_1", RINA)).toEqual({
    ...common,
    type: "media",
    url: "https://a.example/b.pdf",
    delay: 300,
  });
  expect(bodyOf({ ...form, delay: "random" }, "acc_1", RINA).delay).toBe("random");
});

test("a file is named by its address", () => {
  expect(fileNameOf("https://a.example/x/daftar%20harga.pdf?v=1")).toBe("daftar harga.pdf");
  expect(fileNameOf("https://a.example/")).toBe("a.example");
  expect(fileNameOf("https://a.example/%E0%A4%A")).toBe("");
  expect(fileNameOf("htt")).toBe("");
});

test("the first sender is one that reaches people now", () => {
  const device = (number: string, more: object) =>
    ({ number, state: "connected", simulated: false, paused_since: null, ...more }) as Device;
  const off = device("1", { state: "disconnected" });
  const paused = device("2", { paused_since: "2026-11-25T00:00:00Z" });
  const simulated = device("3", { simulated: true });
  const real = device("4", {});
  expect(firstSender([off, paused, simulated, real])?.number).toBe("4");
  expect(firstSender([off, paused, simulated])?.number).toBe("3");
  expect(firstSender([off, paused])?.number).toBe("1");
  expect(firstSender([])).toBeUndefined();
});

// --- Sends ---

interface Sent {
  key: string;
  body: { to: string; message: string };
}

/** A gateway whose answers are these, in this order; an error is a lost answer. */
function gateway(...answers: (object | Error)[]): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const key = request.headers.get("Idempotency-Key") ?? "";
    sent.push({ key, body: (await request.json()) as Sent["body"] });
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new TypeError("failed");
    const { status = 200 } = answer as { status?: number };
    const headers = { "Content-Type": "application/json" };
    return new Response(JSON.stringify(answer), { status, headers });
  });
  return sent;
}

const refusal = (status: number, code: string, detail: string) => ({ status, code, detail });

function formTo(...to: string[]): FormStore {
  const store = new FormStore("acc_1", "per_1");
  store.change(() => ({ ...EMPTY_FORM, from: "6281100000001", text: "Halo", to }));
  return store;
}

async function send(store: FormStore): Promise<MessageDetail[]> {
  const accepted: MessageDetail[] = [];
  await sendAll(store, "acc_1", (message) => accepted.push(message));
  return accepted;
}

test("each recipient has a key, and leaves the form when their message is accepted", async () => {
  const sent = gateway({ id: "m1" }, { id: "m2" });
  const store = formTo(RINA, BUDI);
  expect(await send(store)).toEqual([{ id: "m1" }, { id: "m2" }]);
  expect(new Set(sent.map((one) => one.key)).size).toBe(2);
  expect(store.now()).toMatchObject({ to: [], keys: {}, text: "Halo" });
  expect(store.now().results).toEqual([
    { to: BUDI, id: "m2" },
    { to: RINA, id: "m1" },
  ]);
});

test("a refused recipient stays in the form with the reason", async () => {
  gateway(refusal(400, "recipient_invalid", "Nomor tujuan tidak valid"), { id: "m2" });
  const store = formTo(RINA, BUDI);
  await send(store);
  expect(store.now().to).toEqual([RINA]);
  expect(store.now().results[1]).toEqual({ to: RINA, refusal: "Nomor tujuan tidak valid" });
});

test("after a lost answer the key is used again, also after a reload; others wait", async () => {
  const first = gateway(new TypeError("failed"));
  await send(formTo(RINA, BUDI));
  expect(first).toHaveLength(1);
  const reloaded = new FormStore("acc_1", "per_1");
  expect(reloaded.now()).toMatchObject({ to: [RINA, BUDI], text: "Halo" });
  expect(reloaded.now().results).toEqual([{ to: RINA, unknown: true }]);
  const again = gateway({ id: "m1" }, { id: "m2" });
  await send(reloaded);
  expect(again[0]).toEqual(first[0]);
  expect(reloaded.now().results.map((one) => one.id)).toEqual(["m2", "m1"]);
});

test("a person who was sent a message may be sent another", async () => {
  const sent = gateway({ id: "m1" }, { id: "m2" });
  const store = formTo(RINA);
  await send(store);
  store.change((form) => ({ ...form, to: [RINA] }));
  await send(store);
  expect(sent[0]?.key).not.toBe(sent[1]?.key);
  expect(store.now().results.map((one) => one.id)).toEqual(["m2", "m1"]);
});

test("a lost send that was accepted is not sent with a changed text", async () => {
  gateway(new TypeError("failed"));
  const store = formTo(RINA);
  await send(store);
  store.change((form) => ({ ...form, text: "Halo lagi" }));
  gateway(refusal(422, "idempotency_key_reused", "this Idempotency-Key came before"));
  expect(await send(store)).toEqual([]);
  expect(store.now()).toMatchObject({ to: [], results: [{ to: RINA, earlier: true }] });
});

test("while the first request is carried out, its repeat is asked for again", async () => {
  vi.useFakeTimers();
  const sent = gateway(refusal(409, "idempotency_in_progress", "still running"), { id: "m1" });
  const store = formTo(RINA);
  const sending = send(store);
  await vi.runAllTimersAsync();
  expect(await sending).toEqual([{ id: "m1" }]);
  expect(sent[0]).toEqual(sent[1]);
});

test("what is typed while a message is sent is for the next one", async () => {
  const store = formTo(RINA, BUDI);
  const sent = gateway({ id: "m1" }, { id: "m2" });
  const stop = store.subscribe(() => {
    stop();
    store.change((form) => ({ ...form, text: "Pesan lain" }));
  });
  await send(store);
  expect(sent.map((one) => one.body.message)).toEqual(["Halo", "Halo"]);
  expect(store.now().text).toBe("Pesan lain");
});

test("another person does not see the form", () => {
  formTo(RINA);
  expect(new FormStore("acc_1", "per_2").now()).toEqual(EMPTY_FORM);
  expect(new FormStore("acc_2", "per_1").now()).toEqual(EMPTY_FORM);
  expect(new FormStore("acc_1", "per_1").now().to).toEqual([RINA]);
});

test("a damaged form in the browser is an empty one", () => {
  sessionStorage.setItem("merpati.send.acc_1", "{");
  expect(new FormStore("acc_1", "per_1").now()).toEqual(EMPTY_FORM);
});

test("every refusal of a send is known in English", () => {
  const file = resolve(import.meta.dirname, "../../src/api/errors.cpp");
  const rows = readFileSync(file, "utf8").replaceAll(/"\s+"/g, "");
  const found = [...rows.matchAll(/"(\w+)",\s+(?:\.text = )?"([^"]+)",/g)];
  const texts = new Map(found.map(([, name, text]) => [name, text ?? ""]));
  for (const name of [
    "account_expired",
    "credit_exhausted",
    "delay_invalid",
    "device_disconnected",
    "file_too_large",
    "file_type_unsupported",
    "internal",
    "media_unreachable",
    "media_url_invalid",
    "media_url_missing",
    "message_empty",
    "message_too_long",
    "mime_type_unsupported",
    "overloaded",
    "rate_exceeded",
    "recipient_invalid",
    "send_failed",
    "sender_invalid",
    "storage_damaged",
    "storage_full",
    "type_unsupported",
  ]) {
    const text = texts.get(name) ?? "";
    expect(text, name).not.toBe("");
    expect(reasonText(text, "en"), name).not.toBe(text);
  }
});
