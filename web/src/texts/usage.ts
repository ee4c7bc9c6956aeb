import type { Same } from "./same.ts";

export const id = {
  title: "Pemakaian",
  lead: "Berapa yang terkirim, dan berapa yang gagal, setiap hari.",
  range: "Rentang",
  days: (n: string) => `${n} hari`,
  total: "Jumlah",
  byDevice: "Per perangkat",
  byCode: "Per kode",
  empty: "Belum ada pemakaian",
  emptyText: "Pesan yang selesai dihitung di sini, dan tetap ada ketika pesannya sudah dihapus.",
  day: "Hari",
  month: "Bulan ini",
};

export const en = {
  title: "Usage",
  lead: "How many messages were sent, and how many failed, each day.",
  range: "Range",
  days: (n: string) => `${n} days`,
  total: "Total",
  byDevice: "By device",
  byCode: "By code",
  empty: "No usage yet",
  emptyText: "Finished messages are counted here. The counts remain when the messages are removed.",
  day: "Day",
  month: "This month",
} satisfies Same<typeof id>;
