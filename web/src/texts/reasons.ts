// What the gateway and its connectors say in Indonesian, in English: the results of messages, why
// they are refused, and what a pairing asks for. Callers of /v1/send know these texts, so they stay
// as they are; a platform's own texts are in any language.
// The reasons of devices' states are not here: the gateway answers them in the reader's language.
import type { Language } from "./language.ts";

const ENGLISH: Record<string, string> = {
  "Akun sedang berpindah server": "The account moves to another server just now",
  "Anda telah melebihi batas permintaan":
    "More messages than the account's rate allows: wait a moment",
  "Cara pemasangan tidak dikenal": "The way of linking is unknown",
  "Delay tidak valid": "The delay is not valid",
  "Diterima platform": "Accepted by the platform",
  "File media tidak dapat diambil": "The media file cannot be fetched",
  "Galat pada worker": "The connector's program failed",
  "Gagal mengirim pesan": "Sending failed",
  "Gagal mengirim sampai batas waktu habis": "It could not be sent within the time limit",
  "Hanya perangkat di platform resmi yang mengirim templat":
    "Only devices on the official platform send templates",
  "Hasil pengiriman tidak diketahui": "It is not known whether it was sent",
  "Hasil pengiriman tidak diketahui: platform tidak melaporkannya sampai batas waktu habis":
    "It is not known whether it was sent: the platform did not report it within the time limit",
  "Hasil pengiriman tidak diketahui; ditahan agar tidak terkirim dua kali":
    "It is not known whether it was sent; held, so that it is not sent twice",
  "Hasil pengiriman tidak diketahui; operator menyatakannya gagal":
    "It is not known whether it was sent; somebody marked it as failed",
  "Ini bukan jawaban kunci sandi untuk langkah ini": "This is not a passkey's answer for this step",
  "Jawaban konektor tidak dapat dibaca": "The connector's answer cannot be read",
  "Jawaban platform hilang": "The platform's answer was lost",
  "Jenis file tidak didukung": "The file type is not supported",
  "Jenis file tidak didukung oleh platform": "The platform does not support the file type",
  "Jenis pesan tidak didukung": "The type of the message is not supported",
  "Kode verifikasi": "Verification code",
  "Koneksi terputus sebelum platform mengonfirmasi pesan":
    "The connection was lost before the platform confirmed the message",
  "Konektor berhenti saat pesan dikirim": "The connector ended while it sent the message",
  "Konektor berhenti dua kali saat pesan ini dikirim; ditahan agar tidak terulang":
    "The connector ended twice while it sent this message; held, so that it does not happen again",
  "Konektor gagal mengirim pesan": "The connector could not send the message",
  "Konektor sedang berhenti": "The connector is ending",
  "Konektor sedang sibuk": "The connector is busy",
  "Konektor tidak dapat dijalankan": "The connector cannot be started",
  "Konektor tidak menjawab": "The connector does not answer",
  "Masa berlaku habis": "The account's validity is over",
  "Media di platform rusak": "The media file is damaged on the platform",
  "Media pesan ini tidak dikenal": "The message's media file is unknown",
  "Media platform tidak terjangkau": "The platform's media server cannot be reached",
  "Media tidak ada lagi di platform": "The platform no longer has the media file",
  "Mime type tidak didukung": "The media type of the file is not supported",
  "Nomor pengirim tidak valid": "The sender is not a device of this account",
  "Nomor tidak terdaftar": "The number is not registered",
  "Nomor tidak terdaftar di platform": "The number is not registered on the platform",
  "Nomor tujuan tidak terdaftar": "The recipient is not registered",
  "Nomor tujuan tidak valid": "The recipient's number is not valid",
  "Penerima tidak dapat dikirimi pesan": "Messages cannot be sent to the recipient",
  "Penerima tidak menerima pesan ini": "The recipient does not accept this message",
  "Penyimpanan server penuh": "The server's disk is full",
  "Penyimpanan server rusak": "The server's storage is damaged",
  "Perangkat disconnect": "The device is not connected",
  "Perangkat terlalu sibuk": "The device is too busy",
  "Perangkat tidak sedang ditautkan": "The device is not being linked",
  "Perangkat tidak terhubung": "The device is not connected",
  "Perangkat tidak terhubung sampai batas waktu habis":
    "The device was not connected within the time limit",
  "Pesan dibatalkan": "The message was cancelled",
  "Pesan terkirim": "The message was sent",
  "Pesan terlalu panjang": "The message is too long",
  "Pesan tidak boleh kosong": "The message must not be empty",
  "Pesan tidak didukung konektor": "The connector does not support the message",
  "Platform gagal mengirim pesan": "The platform could not send the message",
  "Platform membatasi akun pengirim": "The platform restricts the sender's account",
  "Platform membatasi akun ini: pesan ke kontak baru ditolak":
    "The platform restricts this account: it refuses messages to new contacts",
  "Platform membatasi laju pengiriman": "The platform limits the rate of sending",
  "Platform membatasi percakapan baru dari perangkat ini":
    "The platform restricts new chats of this device",
  "Platform meminta jeda": "The platform asked for a pause",
  "Platform menolak file ini; teksnya sudah terkirim":
    "The platform refused this file; its text was sent",
  "Platform menolak kunci sandi ini": "The platform refused this passkey",
  "Platform menolak pesan": "The platform refused the message",
  "Platform menolak pesan ini": "The platform refused this message",
  "Platform sedang tidak tersedia": "The platform is not available at the moment",
  "Platform tidak mengonfirmasi pesan": "The platform did not confirm the message",
  "Platform tidak menjawab pemeriksaan nomor":
    "The platform did not answer the check of the number",
  "Proses konektor berhenti": "The connector's process ended",
  "Saldo credit habis": "The account has no credit left",
  "Server media sedang sibuk": "The media server is busy",
  "Server media tidak menjawab": "The media server does not answer",
  "Server sedang berhenti": "The gateway is ending",
  "Server sedang sibuk": "The server is busy",
  "Simulator berhenti": "The simulator ended",
  "Templat cadangan tidak ada, belum disetujui, atau tidak cocok":
    "The fallback template does not exist, is not approved, or does not fit",
  "Terjadi kesalahan pada server": "The server failed",
  "Tidak ada kunci sandi yang ditunggu": "No passkey is awaited",
  "Ukuran file melebihi batas maksimum": "The file is too large",
  "Ukuran file melebihi batas maksimum platform": "The file is larger than the platform allows",
  "Terlalu banyak nomor diperiksa": "Too many numbers were checked",
  "Url media harus diberikan": "The address of the media file is missing",
  "Url media tidak dapat diakses": "The address of the media file cannot be reached",
  "Url media tidak valid": "The address of the media file is not valid",
};

/** A reason in the reader's language, if it is known, part by part; "" for none. */
export function reasonText(reason: string | null | undefined, language: Language): string {
  if (!reason || language === "id") return reason ?? "";
  const known = ENGLISH[reason];
  if (known) return known;
  const colon = reason.indexOf(": ");
  const first = ENGLISH[reason.slice(0, colon)];
  if (colon <= 0 || !first) return reason;
  return `${first}: ${reasonText(reason.slice(colon + 2), language)}`;
}

/** Whether a message with these details may have arrived, so that sending it again repeats it. */
export function mayHaveArrived(details: string | null): boolean {
  return details?.startsWith("Hasil pengiriman tidak diketahui") ?? false;
}
