// The troubles of the gateway's parts, which /readyz says in English for operators' tools, in
// Indonesian.
import type { Language } from "./language.ts";

export interface Trouble {
  part: string;
  reason: string;
}

const PARTS: Record<string, string> = {
  connector: "Konektor",
  connectors: "Konektor",
  scheduler: "Penjadwal",
  server: "Server",
  store: "Penyimpanan",
};

/** `{}` is a number. */
const INDONESIAN: Record<string, string> = {
  "does not answer": "tidak menjawab",
  "have not started": "belum dimulai",
  "is locked by another program: end it": "dikunci oleh program lain: hentikan program itu",
  "is starting": "sedang dimulai",
  "is stopping": "sedang berhenti",
  "is too slow": "terlalu lambat",
  "it did not start": "tidak dapat dimulai",
  "its database cannot be used (the log says why): nothing is accepted or sent":
    "basis datanya tidak dapat dipakai (lihat log): tidak ada pesan yang diterima atau dikirim",
  "its disk is full: nothing is accepted or sent":
    "disknya penuh: tidak ada pesan yang diterima atau dikirim",
  "its disk is nearly full: no messages are accepted":
    "disknya hampir penuh: pesan baru tidak diterima",
  "its worker cannot be started": "workernya tidak dapat dijalankan",
  "its worker does not answer since its start": "workernya tidak menjawab sejak dimulai",
  "its worker is gone": "workernya mati",
  "is damaged: {} place cannot be read or written":
    "rusak: {} tempat tidak dapat dibaca atau ditulis",
  "is damaged: {} places cannot be read or written":
    "rusak: {} tempat tidak dapat dibaca atau ditulis",
  "is damaged: at least {} places cannot be read or written":
    "rusak: sedikitnya {} tempat tidak dapat dibaca atau ditulis",
  "{} device cannot send": "{} perangkat tidak dapat mengirim",
  "{} devices cannot send": "{} perangkat tidak dapat mengirim",
  "{} of {} workers": "{} dari {} worker",
};

/** "store: is too slow" in the reader's language; a reason that is not known stays. */
export function troubleText({ part, reason }: Trouble, language: Language): string {
  if (language === "en") return `${part}: ${reason}`;
  const [kind = "", ...names] = part.split(" ");
  return `${[PARTS[kind] ?? kind, ...names].join(" ")}: ${inIndonesian(reason)}`;
}

/** Reasons are joined by "; ", and their parts by ", " or ": ". */
function inIndonesian(reason: string): string {
  const known = INDONESIAN[withoutNumbers(reason)];
  if (known) {
    const numbers = reason.match(/\d+/g) ?? [];
    return known.replaceAll("{}", () => numbers.shift() ?? "");
  }
  for (const joint of ["; ", ", ", ": "]) {
    const at = reason.indexOf(joint);
    if (at > 0) {
      const rest = reason.slice(at + joint.length);
      return inIndonesian(reason.slice(0, at)) + joint + inIndonesian(rest);
    }
  }
  return reason;
}

const withoutNumbers = (text: string) => text.replaceAll(/\d+/g, "{}");
