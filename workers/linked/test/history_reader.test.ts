import { proto } from "baileys";
import { expect, test } from "vitest";
import { type HistoryContact, HistoryReader } from "../src/inbound/history_reader.js";

const token = Buffer.from("0123456789abcdef");

function history(): Buffer {
  const message = { message: { message: { conversation: "x".repeat(5_000) } } };
  return Buffer.from(
    proto.HistorySync.encode({
      syncType: proto.HistorySync.HistorySyncType.RECENT,
      conversations: [
        {
          ...{ id: "77@lid", pnJid: "628@s.whatsapp.net" },
          ...{ tcToken: token, tcTokenTimestamp: 1_790_000_000 },
        },
        { id: "629@s.whatsapp.net", lidJid: "88@lid", messages: Array(20).fill(message) },
        { id: "12036@g.us", name: "y".repeat(3_000), tcToken: Buffer.alloc(2_000) },
        { id: "99@lid", tcToken: token, tcTokenTimestamp: 7, tcTokenSenderTimestamp: 8 },
      ],
      pushnames: [{ id: "628@s.whatsapp.net", pushname: "Sari" }],
      phoneNumberToLidMappings: [{ pnJid: "630@s.whatsapp.net", lidJid: "66@lid" }],
    } as proto.IHistorySync).finish(),
  );
}

function read(data: Buffer, pieceBytes: number): { contacts: HistoryContact[]; isWhole: boolean } {
  const reader = new HistoryReader();
  const contacts: HistoryContact[] = [];
  for (let at = 0; at < data.length; at += pieceBytes) {
    contacts.push(...reader.push(data.subarray(at, at + pieceBytes)));
  }
  return { contacts, isWhole: reader.isWhole };
}

test("a history yields its contacts, in pieces of every size", () => {
  for (const bytes of [1, 2, 7, 100, 4_096, 10_000_000]) {
    const { contacts, isWhole } = read(history(), bytes);
    expect(isWhole).toBe(true);
    expect(contacts).toEqual([
      { lid: "77@lid", number: "628@s.whatsapp.net", token: { bytes: token, at: 1_790_000_000 } },
      { lid: "88@lid", number: "629@s.whatsapp.net" },
      { lid: "99@lid", token: { bytes: token, at: 7, sentAt: 8 } },
      { lid: "66@lid", number: "630@s.whatsapp.net" },
    ]);
  }
});

test("a history that is cut is not whole, and other bytes are none", () => {
  expect(read(history().subarray(0, -1), 100).isWhole).toBe(false);
  expect(() => read(Buffer.alloc(64, 0xff), 8)).toThrow();
  expect(() => read(Buffer.from([0x12, 2, 0x0a, 9, 1, 1, 1]), 1)).toThrow(); // Beyond its chat.
  expect(() => read(Buffer.from([0x13]), 1)).toThrow();
});
