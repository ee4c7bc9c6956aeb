// Every text for people that the worker reports. They are Indonesian, as their receivers know them,
// and do not change. Texts for operators are English, and stand where they are used; tools/texts
// finds Indonesian ones that do.

/// The reasons of devices' states. The gateway has a row for each, with its English text:
/// src/api/texts/state_reasons.hpp.
export const reasons = {
  connecting: "Menghubungkan ke platform",
  storeUnreachable: "Penyimpanan gateway tidak terjangkau",
  notOpened: "Koneksi ke platform gagal dibuka",
  connectionLost: "Koneksi ke platform terputus",
  platformUnavailable: "Platform sedang tidak tersedia",
  untrusted: "Sertifikat platform tidak dapat dipercaya",
  outdated: "Platform menolak versi worker ini: perbarui worker",

  // Pairing.
  awaitingLink: "Menunggu ditautkan di ponsel",
  awaitingScan: "Menunggu kode QR dipindai",
  awaitingCode: "Menunggu kode dimasukkan di ponsel",
  awaitingPasskey: "Menunggu kunci sandi (passkey) akun ini",
  linkingExpired: "Waktu menautkan habis",
  linkRefused: "Platform menolak menautkan perangkat ini",
  wrongNumber: "Ponsel itu memakai nomor lain daripada perangkat ini",

  // The end of a link.
  unlinked: "Perangkat dikeluarkan dari akun di ponsel",
  usedElsewhere: "Perangkat ini dipakai oleh program lain",
  cannotBeLinked: "Akun ini tidak dapat memakai perangkat tertaut",
  bannedForATime: "Platform memblokir akun ini untuk sementara",
  banned: "Platform memblokir akun ini",

  // Restrictions; also the details of the sends that they refuse.
  chatsLocked: "Platform membatasi akun ini: belum boleh memulai percakapan baru",
  chatsUsedUp: "Jatah percakapan baru akun ini di platform sudah habis",
} as const;

/// The `details` of errors.
export const details = {
  fault: "Galat pada worker",
  deviceDown: "Perangkat tidak terhubung",
  deviceBusy: "Perangkat terlalu sibuk",
  platformUnavailable: reasons.platformUnavailable,
  rateLimited: "Platform membatasi laju pengiriman",

  // Pairing.
  notPairing: "Perangkat tidak sedang ditautkan",
  noPasskeyAwaited: "Tidak ada kunci sandi yang ditunggu",
  passkeyUnreadable: "Ini bukan jawaban kunci sandi untuk langkah ini",
  passkeyRefused: "Platform menolak kunci sandi ini",

  // Look-ups of numbers.
  tooManyLookUps: "Terlalu banyak nomor diperiksa",
  lookUpUnanswered: "Platform tidak menjawab pemeriksaan nomor",
  numberUnregistered: "Nomor tidak terdaftar di platform",

  // The platform's answers to a message.
  newChatRefused: "Platform membatasi akun ini: pesan ke kontak baru ditolak",
  messageRefused: "Platform menolak pesan ini",
  fileRefused: "Platform menolak file ini; teksnya sudah terkirim",
  recipientRefuses: "Penerima tidak menerima pesan ini",
  recipientUnregistered: "Nomor tidak terdaftar",
  unconfirmed: "Platform tidak mengonfirmasi pesan",
  lostBeforeConfirmed: "Koneksi terputus sebelum platform mengonfirmasi pesan",

  // Media of received messages.
  mediaTooLarge: "Ukuran file melebihi batas maksimum",
  mediaDamaged: "Media di platform rusak",
  mediaGone: "Media tidak ada lagi di platform",
  mediaUnreachable: "Media platform tidak terjangkau",
  mediaUnknown: "Media pesan ini tidak dikenal",
} as const;
