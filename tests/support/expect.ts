// Expectations of answers, each in one call.
import { expect } from "vitest";
import type { Reply } from "./account.ts";

/** A row of the error tables: text, status word, code. */
export type Row = readonly [message: string, status: string, code: number];

export const rows = {
  json: ["Invalid json format", "invalid", 400],
  revision: ["Revisi tidak dikenal", "invalid", 400],
  type: ["Jenis pesan tidak didukung", "Invalid", 400],
  empty: ["Pesan tidak boleh kosong", "invalid", 400],
  long: ["Pesan terlalu panjang", "invalid", 400],
  urlMissing: ["Url media harus diberikan", "invalid", 400],
  urlInvalid: ["Url media tidak valid", "invalid", 400],
  inaccessible: ["Url media tidak dapat diakses", "invalid", 400],
  tooLargeB: ["Ukuran file melebihi batas maksimum", "Invalid", 400],
  sender: ["Nomor pengirim tidak valid", "Invalid", 400],
  recipient: ["Nomor tujuan tidak valid", "Invalid", 400],
  delay: ["Delay tidak valid", "invalid", 400],
  typing: ["Typing tidak valid", "invalid", 400],
  callback: ["Url callback tidak valid", "invalid", 400],
  expiredB: ["Masa berlaku habis", "expired", 400],
  device: ["Nomor perangkat tidak valid", "Invalid", 400],
  webhook: ["Url webhook tidak valid", "invalid", 400],
  key: ["Api key tidak valid", "failed", 401],
  credit: ["Saldo credit habis", "limit", 402],
  scope: ["Api key tidak memiliki izin", "failed", 403],
  expired: ["Masa berlaku habis", "expired", 403],
  plan: ["Paket Anda tidak dapat menambah perangkat", "limit", 403],
  devices: ["Batas jumlah perangkat tercapai", "limit", 403],
  taken: ["Perangkat sudah terdaftar", "invalid", 409],
  running: ["Permintaan yang sama masih diproses", "error", 409],
  tooLarge: ["Ukuran file melebihi batas maksimum", "Invalid", 413],
  fileType: ["Jenis file tidak didukung", "invalid", 415],
  mimeType: ["Mime type tidak didukung", "invalid", 415],
  reused: ["Idempotency-Key sudah dipakai", "invalid", 422],
  rate: ["Anda telah melebihi batas permintaan", "throttled", 429],
  failed: ["Gagal mengirim pesan", "error", 500],
  storageUnavailable: ["Penyimpanan server tidak terjangkau", "error", 503],
  storageFull: ["Penyimpanan server penuh", "error", 503],
  storageDamaged: ["Penyimpanan server rusak", "error", 503],
  disconnected: ["Perangkat disconnect", "disconnect", 503],
} as const satisfies Record<string, Row>;

/** Expects exactly this row, in the shape of every failure. */
export function expectRefused(reply: Reply, [message, status, code]: Row): void {
  expect(reply.json).toEqual({ success: false, message, status, code, data: { status, code } });
  expect(reply.status).toBe(code);
}

/** Expects revision A's answer to an accepted send; returns the requestId. */
export function expectAccepted(reply: Reply, to?: string | number): string {
  expect(reply.json, reply.text).toMatchObject({
    success: true,
    data: { status: "pending", code: 200 },
  });
  if (to !== undefined) expect(reply.json.data.to).toBe(to);
  return reply.json.data.requestId;
}

export function expectSent(reply: Reply): void {
  expect(reply.json, reply.text).toMatchObject({
    success: true,
    data: { status: "sent", code: 200 },
  });
}
