import type { Same } from "./same.ts";

export const id = {
  title: "Ringkasan",
  credit: "Sisa kredit",
  devicesUp: "Perangkat terhubung",
  ofDevices: (up: string, all: string) => `${up} dari ${all}`,
  sentToday: "Terkirim hari ini",
  failedToday: "Gagal hari ini",
  waiting: "Menunggu",
  queued: (n: string) => `${n} pesan menunggu`,
  lastDays: (n: string) => `${n} hari terakhir`,
  allUsage: "Pemakaian",
  devices: "Perangkat",
  allDevices: "Semua",
  recent: "Pesan terakhir",
  allMessages: "Semua pesan",
  expiresSoon: (time: string) => `Akun ini hanya berlaku sampai ${time}.`,
  expired: "Masa berlaku akun ini sudah habis: pengiriman ditolak.",
  creditOut: "Kredit habis: pengiriman ditolak sampai diisi lagi.",
  down: {
    one: (number: string) => `${number} tidak terhubung.`,
    more: (n: string) => `${n} perangkat tidak terhubung.`,
  },
  paused: {
    one: (number: string) => `${number} dijeda: pesannya tidak dikirim sampai dilanjutkan.`,
    more: (n: string) => `${n} perangkat dijeda: pesannya tidak dikirim sampai dilanjutkan.`,
  },
  restricted: {
    one: (number: string, time: string) =>
      `${number} dibatasi platform: percakapan baru menunggu sampai ${time}.`,
    more: (n: string) => `${n} perangkat dibatasi platform: percakapan barunya menunggu.`,
  },
  held: (n: string) => `${n} pesan ditahan: putuskan apakah tetap dikirim.`,
  theirMessages: (n: string) => `${n} pesan menunggu.`,
  hostFails: (origin: string) => `${origin} terus gagal menjawab: callback-nya menunggu.`,
  callbacksFail: "Ada callback yang tidak dicoba lagi: penerimanya tidak menjawab dengan benar.",
  see: "Lihat",
  start: "Mulai di sini",
  startLead: "Lima langkah sampai pesan pertama terkirim dan hasilnya dikabarkan.",
  steps: {
    device: "Tambahkan perangkat",
    deviceText: "Nomor yang akan mengirim pesan Anda.",
    pair: "Tautkan ke ponsel",
    pairText: "Pindai kode QR dari ponsel dengan nomor itu.",
    key: "Buat kunci API",
    keyText: "Dengan kunci, program Anda memanggil gateway.",
    send: "Kirim pesan pertama",
    sendText: "Halaman Pengembang menyusun permintaan lengkap, siap ditempel.",
    callback: "Terima kabar hasil pertama",
    callbackText:
      "Beri akun alamat https program Anda; hasil setiap pesan dikabarkan ke sana (callback).",
  },
  noAccount: "Belum ada akun",
  noAccountText:
    "Buat akun pertama: di dalamnya ada perangkat, kunci, dan pesan seorang pelanggan.",
  noAccountButton: "Buat akun",
};

export const en = {
  title: "Overview",
  credit: "Credit left",
  devicesUp: "Devices connected",
  ofDevices: (up: string, all: string) => `${up} of ${all}`,
  sentToday: "Sent today",
  failedToday: "Failed today",
  waiting: "Waiting",
  queued: (n: string) => `${n} waiting`,
  lastDays: (n: string) => `The last ${n} days`,
  allUsage: "Usage",
  devices: "Devices",
  allDevices: "All",
  recent: "Latest messages",
  allMessages: "All messages",
  expiresSoon: (time: string) => `This account is valid only until ${time}.`,
  expired: "This account has expired: sending is refused.",
  creditOut: "The credit is used up: sending is refused until it is topped up.",
  down: {
    one: (number: string) => `${number} is not connected.`,
    more: (n: string) => `${n} devices are not connected.`,
  },
  paused: {
    one: (number: string) => `${number} is paused: its messages are not sent until it is resumed.`,
    more: (n: string) =>
      `${n} devices are paused: their messages are not sent until they are resumed.`,
  },
  restricted: {
    one: (number: string, time: string) =>
      `The platform restricts ${number}: new chats wait until ${time}.`,
    more: (n: string) => `The platform restricts ${n} devices: their new chats wait.`,
  },
  held: (n: string) =>
    n === "1"
      ? "1 message is held: decide whether to send it."
      : `${n} messages are held: decide whether to send them.`,
  theirMessages: (n: string) =>
    n === "1" ? "1 message is waiting." : `${n} messages are waiting.`,
  hostFails: (origin: string) => `${origin} keeps failing to answer: its callbacks are waiting.`,
  callbacksFail: "Some callbacks were given up: their receiver does not answer correctly.",
  see: "View",
  start: "Start here",
  startLead: "Five steps until the first message is sent and its result is reported.",
  steps: {
    device: "Add a device",
    deviceText: "The number that will send your messages.",
    pair: "Link it to a phone",
    pairText: "Scan a QR code from the phone with that number.",
    key: "Create an API key",
    keyText: "Your programs use a key to call the gateway.",
    send: "Send the first message",
    sendText: "The Developers page builds the whole request, ready to paste.",
    callback: "Receive the first report",
    callbackText:
      "Set an https address of your program; it is sent the outcome of each message (a callback).",
  },
  noAccount: "No account yet",
  noAccountText: "Create the first account: it holds the devices, keys and messages of a customer.",
  noAccountButton: "Create an account",
} satisfies Same<typeof id>;
