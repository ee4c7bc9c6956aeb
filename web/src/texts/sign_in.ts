import type { Same } from "./same.ts";

export const id = {
  title: "Masuk",
  lead: "Kelola perangkat, pesan, dan kredit gateway Anda.",
  email: "Email",
  password: "Kata sandi",
  code: "Kode dua langkah",
  codeHint: "Enam angka dari aplikasi autentikator Anda",
  submit: "Masuk",
  wrong: "Email, kata sandi, atau kode salah.",
  throttled: "Terlalu banyak percobaan. Tunggu sebentar, lalu coba lagi.",
  linkTitle: "Masuk dengan tautan",
  linkLead: "Tautan ini membuka sesi untuk Anda di peramban ini.",
  linkDead: "Tautan ini sudah dipakai atau kedaluwarsa. Minta yang baru.",
  noPassword: "Belum punya kata sandi? Minta tautan masuk kepada administrator.",
  ended: "Sesi Anda telah berakhir. Silakan masuk lagi.",
};

export const en = {
  title: "Sign in",
  lead: "Manage your gateway's devices, messages and credit.",
  email: "Email",
  password: "Password",
  code: "Two-step code",
  codeHint: "Six digits from your authenticator app",
  submit: "Sign in",
  wrong: "Email, password or code is wrong.",
  throttled: "Too many attempts. Wait a moment, then try again.",
  linkTitle: "Sign in with a link",
  linkLead: "This link opens a session for you in this browser.",
  linkDead: "This link has already been used or has expired. Ask for a new one.",
  noPassword: "No password yet? Ask an administrator for a sign-in link.",
  ended: "Your session has ended. Please sign in again.",
} satisfies Same<typeof id>;
