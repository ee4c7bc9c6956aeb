import type { Same } from "./same.ts";

export const id = {
  title: "Undangan",
  lead: (account: string) => `Anda diundang ke akun ${account}.`,
  by: "Dari",
  passwordHint:
    "Baru di sini? Buat kata sandi, paling sedikit 12 karakter. Bila sudah punya, ketik yang ada.",
  accept: "Terima undangan",
  dead: "Undangan ini sudah dipakai, dicabut, atau kedaluwarsa. Minta yang baru.",
  wrong:
    "Alamat ini sudah dikenal di sini, dan kata sandinya bukan itu. Ketik kata sandi Anda " +
    "yang ada.",
  invite: "Undang orang",
  made: "Tautan undangan",
  madeText: (email: string) =>
    `Kirimkan tautan ini sendiri kepada ${email}: server tidak mengirim surat. Tautan berlaku ` +
    "sekali, selama 7 hari. Yang membukanya diminta kata sandi, lalu menjadi pengguna akun ini.",
  open: "Undangan yang belum diterima",
  expires: "Berlaku sampai",
  revoke: "Cabut undangan",
  revoked: "Undangan dicabut; tautannya tidak berlaku lagi",
  again: "Buat tautan baru",
};

export const en = {
  title: "Invitation",
  lead: (account: string) => `You are invited to the account ${account}.`,
  by: "From",
  passwordHint:
    "New here? Choose a password of at least 12 characters. Otherwise enter your password.",
  accept: "Accept the invitation",
  dead: "This invitation has been used or revoked, or has expired. Ask for a new one.",
  wrong: "This address is known here already, with another password. Enter your password.",
  invite: "Invite a person",
  made: "Invitation link",
  madeText: (email: string) =>
    `Send this link to ${email} yourself: the server sends no mail. It works once, within ` +
    "7 days. Whoever opens it is asked for a password, and then is a person of this account.",
  open: "Invitations not accepted yet",
  expires: "Valid until",
  revoke: "Revoke the invitation",
  revoked: "The invitation was revoked; its link no longer works",
  again: "Make a new link",
} satisfies Same<typeof id>;
