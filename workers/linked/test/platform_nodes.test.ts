import { proto } from "baileys";
import { expect, test } from "vitest";
import { closeOf, consequence, OTHER_NUMBER } from "../src/devices/close_reasons.js";
import { allowedHost } from "../src/inbound/media_fetch.js";
import { isFromPerson, received } from "../src/inbound/messages.js";
import { receiptOf } from "../src/inbound/receipts.js";
import { isSameNumber } from "../src/platform/addresses.js";
import { harmless } from "../src/process/log.js";
import { platformId } from "../src/sending/content.js";

const own = (address: string): boolean => address.startsWith("6281100000001");
const ours = platformId("a");

function receipt(attrs: Record<string, string>, items: string[] = []) {
  const list = items.map((id) => ({ tag: "item", attrs: { id } }));
  const content = [{ tag: "list", attrs: {}, content: list }];
  return receiptOf(
    {
      tag: "receipt",
      attrs: { id: ours, from: "62812@s.whatsapp.net", t: "1790000000", ...attrs },
      content,
    },
    own,
  );
}

test("receipts say what recipients did with messages of ours", () => {
  const at = 1_790_000_000_000;
  expect(receipt({})).toEqual({ ids: [ours], status: "delivered", at });
  expect(receipt({ type: "inactive" })?.status).toBe("delivered");
  expect(receipt({ type: "read" }, [platformId("b"), "3A00"])?.ids).toHaveLength(2);
  expect(receipt({ type: "played" })?.status).toBe("read");
});

test("receipts of own devices, of other messages and of other kinds say nothing", () => {
  expect(receipt({ from: "6281100000001:3@s.whatsapp.net" })).toBeUndefined();
  expect(receipt({ id: "3EB0C431C26A1916E07A8F" })).toBeUndefined();
  expect(receipt({ type: "retry" })).toBeUndefined();
  expect(receipt({ type: "sender" })).toBeUndefined();
});

test("only a person's own messages to this account are received", () => {
  const from = (attrs: Record<string, string>): boolean =>
    isFromPerson({ tag: "message", attrs }, own);
  expect(from({ from: "62812@s.whatsapp.net" })).toBe(true);
  expect(from({ from: "99:2@lid" })).toBe(true);
  expect(from({ from: "120363@g.us", participant: "62812@s.whatsapp.net" })).toBe(false);
  expect(from({ from: "status@broadcast" })).toBe(false);
  expect(from({ from: "6281100000001@s.whatsapp.net", recipient: "62812@s.whatsapp.net" })).toBe(
    false,
  );
});

const typeOf = (content: proto.IMessage): string | undefined =>
  received(content, "3A01", "1790000000", 0)?.type;

test("each kind of message has its type", () => {
  const media = { mediaKey: Buffer.alloc(32), directPath: "/v/1", fileLength: 5 };
  expect(typeOf({ conversation: "Halo" })).toBe("text");
  expect(typeOf({ ephemeralMessage: { message: { conversation: "Halo" } } })).toBe("text");
  expect(typeOf({ imageMessage: media })).toBe("image");
  expect(typeOf({ stickerMessage: media })).toBe("sticker");
  expect(typeOf({ locationMessage: { degreesLatitude: 1 } })).toBe("location");
  expect(typeOf({ contactMessage: { vcard: "BEGIN:VCARD" } })).toBe("contact");
  expect(typeOf({ pollCreationMessageV3: { name: "?" } })).toBe("other");
  expect(typeOf({ reactionMessage: { text: "👍" } })).toBeUndefined();
  expect(typeOf({ protocolMessage: {} })).toBeUndefined();
  expect(typeOf({ senderKeyDistributionMessage: {} })).toBeUndefined();
});

test("an id that the protocol does not allow is no message", () => {
  expect(received({ conversation: "a" }, "a b", "1", 0)).toBeUndefined();
  expect(received({ conversation: "a" }, "x".repeat(257), "1", 0)).toBeUndefined();
});

test("a long text and a long name are shortened", () => {
  const long = received({ conversation: "é".repeat(200_000) }, "3A01", "1", 0);
  expect(Buffer.byteLength(long!.text)).toBeLessThanOrEqual(200_000);
  const media = { mediaKey: Buffer.alloc(32), directPath: "/v/1" };
  const named = { ...media, fileName: "n".repeat(400) };
  const file = received({ documentMessage: named }, "3A01", "1", 0);
  expect(file!.media!.name).toHaveLength(255);
});

test("what the gateway would not keep is no reference", () => {
  const media = { mediaKey: Buffer.alloc(32), directPath: "/v/1" };
  const short = received({ imageMessage: media }, "3A01", "1", 0);
  expect(short!.media!.reference).toContain("/v/1");
  const long = { ...media, directPath: "/".padEnd(5_000, "v") };
  expect(received({ imageMessage: long }, "3A01", "1", 0)!.media).not.toHaveProperty("reference");
});

test("a message does not choose the host that its media is fetched from", () => {
  expect(allowedHost("mmg-fna.whatsapp.net", false)).toBe("mmg-fna.whatsapp.net");
  expect(allowedHost("169.254.169.254", false)).toBe("mmg.whatsapp.net");
  expect(allowedHost("evil.example/.whatsapp.net", false)).toBe("mmg.whatsapp.net");
  expect(allowedHost("user@x.whatsapp.net", false)).toBe("mmg.whatsapp.net");
  expect(allowedHost("127.0.0.1:4443", true)).toBe("127.0.0.1:4443");
});

test.each([
  [515, true, "restart"],
  [401, true, "logged_out"],
  [403, true, "banned"],
  [440, true, "replaced"],
  [428, true, "retry"],
  [405, true, "retry"],
  [500, true, "retry"],
  [515, false, "restart"],
  [401, false, "disconnected"],
  [OTHER_NUMBER, false, "disconnected"],
  [428, false, "retry"],
])("a close with %i, paired %s: %s", (code, paired, expected) => {
  const next = consequence({ code, text: "" }, paired, false);
  expect(next.kind === "end" ? next.state : next.kind).toBe(expected);
  expect(next.kind === "end" && next.forget).toBe(expected === "logged_out");
});

test("a pairing ends when its codes are used up, or when it took too long", () => {
  const used = { code: 408, text: "QR refs attempts ended" };
  expect(consequence(used, false, false)).toMatchObject({ state: "disconnected" });
  expect(consequence({ code: 428, text: "" }, false, true)).toMatchObject({ kind: "end" });
  expect(consequence({ code: 428, text: "" }, true, true)).toMatchObject({ kind: "retry" });
  expect(closeOf(undefined)).toEqual({ code: 428, text: "" });
});

test("a number is the same also where the platform writes it otherwise", () => {
  expect(isSameNumber("6281100000001:3@s.whatsapp.net", "6281100000001")).toBe(true);
  expect(isSameNumber("6281100000002@s.whatsapp.net", "6281100000001")).toBe(false);
  expect(isSameNumber("551187654321@s.whatsapp.net", "5511987654321")).toBe(true);
  expect(isSameNumber("628120000000@s.whatsapp.net", "6281120000000")).toBe(false);
});

test("what is logged holds no numbers, addresses, keys or contents", () => {
  const cases = [
    'failed for 6281234567890 with "rahasia"',
    "to 6281234567890:3@s.whatsapp.net and 99@lid",
    `key ${Buffer.alloc(32, 7).toString("base64")}`,
    'stanza {"id":"3EB0","text":"rahasia"}',
    "call +62 812-3456-7890\nnext line",
  ];
  for (const text of cases) {
    expect(harmless(text)).not.toMatch(/\d{5}|rahasia|@|BwcHB|\n|3456/);
  }
});
