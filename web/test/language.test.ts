// Every text in the reader's language.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { languageOf } from "../src/texts/language.ts";
import { mayHaveArrived, reasonText } from "../src/texts/reasons.ts";

test.each([
  [["en-GB", "en"], "en"],
  [["en-US"], "en"],
  [["id-ID", "id", "en"], "id"],
  [["jv-ID"], "id"],
  [["de-DE", "en"], "en"],
  [[], "id"],
])("a browser that prefers %j opens in %s", (preferred, language) => {
  expect(languageOf(preferred)).toBe(language);
});

test("a reason is in the reader's language, and a platform's own text stays", () => {
  expect(reasonText("Perangkat tidak terhubung", "en")).toBe("The device is not connected");
  expect(reasonText("Perangkat tidak terhubung", "id")).toBe("Perangkat tidak terhubung");
  expect(reasonText("Kode verifikasi: 123456", "en")).toBe("Verification code: 123456");
  expect(reasonText("rate-overlimit: later", "en")).toBe("rate-overlimit: later");
  expect(
    reasonText("Gagal mengirim sampai batas waktu habis: Platform tidak mengonfirmasi pesan", "en"),
  ).toBe("It could not be sent within the time limit: The platform did not confirm the message");
  expect(reasonText(null, "en")).toBe("");
});

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCES = [
  "src/connector",
  "src/devices",
  "src/model",
  "src/scheduler",
  "workers/linked/src",
];
/** What these sources say only to programs and in what the simulator receives. */
const NOT_SHOWN = [
  "Authorization: Bearer {}\\r\\n",
  "Balasan",
  "Callback percobaan",
  "Content-Type: application/json\\r\\n",
  "Content-Type: image/png\\r\\n",
  "Content-Type: multipart/form-data; boundary={}\\r\\n",
  "HTTP {}", // A platform's error without words.
  "HTTP/1.1 ",
  "Invalid signature",
  "Pairing Information Encryption Key",
  "Param ", // In a platform's words.
  "QR refs attempts ended",
];

function textsIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return textsIn(path);
    if (!/\.(cpp|hpp|ts)$/.test(name) || /_(test|fixture)\.|\.test\./.test(name)) return [];
    const code = readFileSync(path, "utf8").replaceAll(/^\s*\/\/.*$/gm, "");
    return textsOf(code);
  });
}

const textsOf = (code: string) =>
  [...code.matchAll(/"([A-Z][^"\n]*)"/g)].map(([, text]) => text ?? "");

const contentOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
const [, details = "", reasons = ""] = contentOf("src/model/texts.hpp").split(/^namespace .*$/m);

/** The reasons of devices' states, which the gateway answers in the reader's language. */
const answered = new Set([
  ...textsOf(reasons),
  ...textsOf(contentOf("src/api/texts/state_reasons.hpp")),
]);
/** Those that messages have too, which callers of /v1/send know in Indonesian. */
const OF_BOTH = ["Konektor tidak dapat dijalankan", "Platform sedang tidak tersedia"];
const STOPPED = "Proses konektor berhenti"; // The simulator plays it as a message's result.

test("what the gateway answers in the reader's language is not translated here", () => {
  expect(answered).toContain("Diputuskan atas permintaan"); // Else the test does not find them.
  const twice = [...answered].filter((text) => reasonText(text, "en") !== text);
  expect(twice.sort()).toEqual([...OF_BOTH, STOPPED]);
  expect(textsOf(details)).toEqual(expect.arrayContaining(OF_BOTH));
});

test("every other reason of the gateway and its connectors is known in English", () => {
  const reasons = SOURCES.flatMap((folder) => textsIn(join(ROOT, folder)))
    .filter((text) => text.includes(" ")) // Others are names.
    .map((text) => text.replace(/: (\{\})?$/, ""))
    .filter((text) => !NOT_SHOWN.includes(text) && !answered.has(text));
  expect(reasons.length).toBeGreaterThan(40); // Else the test does not find them.
  const unknown = reasons.filter((text) => reasonText(text, "en") === text);
  expect(unknown, "add them to web/src/texts/reasons.ts").toEqual([]);
});

test("a message with an unknown result may have arrived, one that was refused has not", () => {
  expect(mayHaveArrived("Hasil pengiriman tidak diketahui; operator menyatakannya gagal")).toBe(
    true,
  );
  expect(
    mayHaveArrived("Hasil pengiriman tidak diketahui: Gagal mengirim sampai batas waktu habis"),
  ).toBe(true);
  expect(mayHaveArrived("Gagal mengirim sampai batas waktu habis")).toBe(false);
  expect(mayHaveArrived("Platform menolak pesan")).toBe(false);
  expect(mayHaveArrived(null)).toBe(false);
});
