import type { Same } from "./same.ts";

export const id = {
  file: "File CSV",
  fileHint: "Ukurannya bebas. Lembar kerja: simpan sebagai CSV, bukan .xlsx.",
  choose: "Pilih file",
  form: "Cara membaca file",
  numberColumn: "Kolom nomor",
  numberColumnHint: "Nama kolom, atau urutannya dari 1.",
  detected: "Dikenali sendiri",
  country: "Kode negara untuk nomor berawalan 0",
  countryOfAccount: "Seperti akun",
  upload: "Impor",
  uploading: (done: string, all: string) => `${done} dari ${all} MB`,
  progress: "Kemajuan unggahan",
  storing: "Menyimpan…",
  stop: "Hentikan",
  broken: "File tidak terbaca sampai akhir; tidak ada yang berubah.",
  done: "Selesai.",
};

export const en = {
  file: "CSV file",
  fileHint: "Of any size. From a spreadsheet: save it as CSV, not as .xlsx.",
  choose: "Choose a file",
  form: "How the file is read",
  numberColumn: "Column of the numbers",
  numberColumnHint: "Its name, or its position from 1.",
  detected: "Detected",
  country: "Country code of numbers that begin with 0",
  countryOfAccount: "The account's",
  upload: "Import",
  uploading: (done: string, all: string) => `${done} of ${all} MB`,
  progress: "Progress of the upload",
  storing: "Storing…",
  stop: "Stop",
  broken: "The file was not read to its end, and nothing has changed.",
  done: "Done.",
} satisfies Same<typeof id>;
