import type { Same } from "./same.ts";

export const id = {
  label: "Cara mengirim",
  kinds: {
    simulated: {
      name: "Simulasi",
      means: "Untuk mencoba. Tidak ada yang benar-benar dikirim, dan tidak ada yang menerimanya.",
    },
    unofficial: {
      name: "Ponsel Anda",
      means:
        "Pesan dikirim lewat akun perpesanan di ponsel, yang ditautkan seperti komputer kedua.",
    },
    official: {
      name: "Akun bisnis resmi",
      means: "Pesan dikirim lewat layanan resmi platform untuk bisnis.",
    },
    custom: {
      name: "Program tambahan",
      means: "Ditambahkan oleh pengelola server ini. Tanyakan kepadanya ke mana pesan dikirim.",
    },
  },
  // Of the kinds that have one.
  risks: {
    unofficial:
      "Tidak resmi: platform tidak mengizinkan program seperti ini, dan dapat memblokir " +
      "nomornya untuk selamanya. Pakai nomor yang boleh hilang. Kirim perlahan, hanya kepada " +
      "orang yang mengenal Anda.",
    official: "Platform menagih biaya, dan menentukan pesan mana yang boleh dikirim.",
  },
  simulated: "Simulasi",
  simulatedText: "Perangkat ini hanya simulasi: pesannya tidak sampai kepada siapa pun.",
  notRunning: "Sedang tidak berjalan; perangkatnya menunggu. Beri tahu pengelola server.",
  onlySimulated:
    "Server ini hanya punya simulasi. Agar pesan benar-benar terkirim, pengelola server perlu " +
    "memasang cara lain.",
  riskTitle: "Risiko",
};

export const en = {
  label: "How it sends",
  kinds: {
    simulated: {
      name: "Simulation",
      means: "For trying things out. Nothing is really sent, and nobody receives it.",
    },
    unofficial: {
      name: "Your phone",
      means: "Sends through the messaging account on a phone, linked like a second computer.",
    },
    official: {
      name: "Official business account",
      means: "Sends through the platform's official service for businesses.",
    },
    custom: {
      name: "Added program",
      means: "Added by the operator of this server. Ask them where its messages go.",
    },
  },
  // Of the kinds that have one.
  risks: {
    unofficial:
      "Not official: the platform does not permit such programs, and may block the number for " +
      "good. Use a number that you can afford to lose. Send slowly, and only to people who " +
      "know you.",
    official: "The platform charges for it, and decides which messages may be sent.",
  },
  simulated: "Simulated",
  simulatedText: "This device is only simulated: its messages reach nobody.",
  notRunning: "It is not running at the moment; its devices wait. Tell the server's operator.",
  onlySimulated:
    "This server has only a simulation. To really send messages, the server's operator has to " +
    "set up another way.",
  riskTitle: "Risk",
} satisfies Same<typeof id>;
