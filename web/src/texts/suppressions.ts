import type { Same } from "./same.ts";

export const id = {
  title: "Jangan dihubungi",
  lead: "Nomor yang tidak dikirimi kampanye mana pun. Pesan lewat API tidak terpengaruh.",
  number: "Nomor",
  search: "Angka awal nomor",
  reason: "Alasan",
  reasons: {
    manual: "Ditambahkan di sini",
    import: "Dari daftar yang diimpor",
    opt_out: "Orangnya menolak pesan",
    unregistered: "Tidak terdaftar di platform",
  },
  at: "Sejak",
  campaign: "Kampanye",
  add: "Tambah nomor",
  addTitle: "Jangan hubungi nomor ini",
  why: {
    opt_out: "Orangnya meminta tidak dihubungi",
    manual: "Keputusan kami",
  },
  isAdded: "Nomor ini tidak lagi dikirimi kampanye",
  remove: "Boleh dihubungi lagi",
  removeTitle: (number: string) => `Hubungi ${number} lagi`,
  removeText: "Kampanye berikutnya dapat mengirim pesan ke nomor ini lagi.",
  removeRefused:
    "Orang ini meminta tidak dihubungi. Jika dihapus, kampanye dapat mengirim kepadanya lagi, " +
    "dan catatan penolakannya hilang. Lakukan hanya jika ia sendiri meminta pesan lagi. Ia juga " +
    "dapat melakukannya sendiri: lewat tautan berhenti, atau dengan membalas MULAI.",
  removeUnregistered:
    "Platform menyatakan nomor ini tidak terdaftar. Kampanye berikutnya akan mencobanya lagi; " +
    "terlalu banyak nomor tidak terdaftar dapat membuat platform membatasi perangkat.",
  isRemoved: "Nomor ini dapat dikirimi kampanye lagi",
  import: "Impor",
  importTitle: "Impor nomor yang jangan dihubungi",
  importLead:
    "File CSV: satu kolom berisi nomor, kolom lain diabaikan. Nomor yang sudah ada tidak " +
    "berubah.",
  rows: "Baris",
  added: "Ditambahkan",
  invalid: "Bukan nomor",
  duplicate: "Sudah ada",
  export: "Ekspor",
  exportCsv: "CSV, untuk lembar kerja",
  exportLines: "JSON per baris",
  empty: "Belum ada nomor",
  emptyText:
    "Siapa yang menolak lewat tautan, atau membalas BERHENTI atau STOP, masuk ke daftar ini " +
    "sendiri.",
};

export const en = {
  title: "Suppressions",
  lead: "Numbers that no campaign sends to. Messages through the API are not affected.",
  number: "Number",
  search: "First digits of a number",
  reason: "Reason",
  reasons: {
    manual: "Added here",
    import: "From an imported list",
    opt_out: "The person refused messages",
    unregistered: "Not registered on the platform",
  },
  at: "Since",
  campaign: "Campaign",
  add: "Add a number",
  addTitle: "Suppress a number",
  why: {
    opt_out: "The person asked not to be written to",
    manual: "Our own decision",
  },
  isAdded: "Campaigns do not send to this number any more",
  remove: "Allow again",
  removeTitle: (number: string) => `Write to ${number} again`,
  removeText: "Later campaigns can send messages to this number again.",
  removeRefused:
    "This person asked not to be written to. Without the suppression campaigns can send to them " +
    "again, and the record of the refusal is lost. Do this only if the person asks for messages " +
    "again. They can also do it themselves: by the link to opt out, or by answering START.",
  removeUnregistered:
    "The platform says that this number is not registered. Later campaigns will try it again; " +
    "too many unregistered numbers can make the platform restrict a device.",
  isRemoved: "Campaigns can send to this number again",
  import: "Import",
  importTitle: "Import suppressions",
  importLead:
    "A CSV file: one column has the numbers, others are ignored. Numbers that are there already " +
    "do not change.",
  rows: "Rows",
  added: "Added",
  invalid: "Not a number",
  duplicate: "There already",
  export: "Export",
  exportCsv: "CSV, for spreadsheets",
  exportLines: "JSON lines",
  empty: "No numbers yet",
  emptyText: "Whoever opts out by the link, or answers STOP or BERHENTI, appears here by itself.",
} satisfies Same<typeof id>;
