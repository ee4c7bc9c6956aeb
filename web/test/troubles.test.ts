// What /readyz says of the gateway's parts, in the reader's language.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { troubleText } from "../src/texts/troubles.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** Where the gateway's sources have these reasons: files, and the first words of functions. */
const PLACES: [file: string, from: string, to: string][] = [
  ["src/daemon/health.cpp", "Health::unready() const {", "\n}\n"],
  ["src/daemon/health.cpp", "std::string trouble_of(", "\n}\n"],
  ["src/store/condition.cpp", "Condition::trouble() const {", "\n}\n"],
  ["src/connector/unavailable.hpp", "std::string trouble() const", "\n"],
  ["src/connector/process/worker/worker_connector.cpp", "trouble_ = cannot_start", ";"],
  ["src/connector/process/worker/worker_connector.cpp", "is_silent()", "}"],
  ["src/connector/process/worker/sharded_connector.cpp", "::trouble() const {", "\n}\n"],
];

function textsAt([file, from, to]: (typeof PLACES)[number]): string[] {
  const code = readFileSync(join(ROOT, file), "utf8");
  const begin = code.indexOf(from);
  expect(begin, `${file}: ${from}`).toBeGreaterThan(0);
  const part = code.slice(begin, code.indexOf(to, begin));
  const texts = [...part.matchAll(/"([^"\n]*)"/g)]
    .map(([, text]) => text ?? "")
    .filter((text) => /[a-z].* | .*[a-z]/.test(text)); // Others are names.
  expect(texts, `${file}: ${from}`).not.toEqual([]);
  return texts;
}

const PUT_TOGETHER = [
  "at least ",
  "is damaged: {}{} cannot be read or written",
  ", {} cannot send",
  "{} of {} workers: {}",
];

test("every trouble of the gateway is known in Indonesian", () => {
  const texts = PLACES.flatMap(textsAt);
  expect(texts).toEqual(expect.arrayContaining(PUT_TOGETHER));
  const known = texts.filter((text) => !PUT_TOGETHER.includes(text));
  const inIndonesian = (reason: string) => troubleText({ part: "store", reason }, "id");
  expect(known.filter((text) => inIndonesian(text).includes(text))).toEqual([]);
});

test.each([
  ["store", "is too slow", "Penyimpanan: terlalu lambat"],
  ["connector linked", "its worker is gone", "Konektor linked: workernya mati"],
  [
    "connector linked",
    "2 of 3 workers: its worker is gone",
    "Konektor linked: 2 dari 3 worker: workernya mati",
  ],
  [
    "store",
    "its disk is full: nothing is accepted or sent; is damaged: at least 64 places cannot be " +
      "read or written, 1 device cannot send",
    "Penyimpanan: disknya penuh: tidak ada pesan yang diterima atau dikirim; rusak: sedikitnya " +
      "64 tempat tidak dapat dibaca atau ditulis, 1 perangkat tidak dapat mengirim",
  ],
  [
    "store",
    "is damaged: 1 place cannot be read or written, 2 devices cannot send",
    "Penyimpanan: rusak: 1 tempat tidak dapat dibaca atau ditulis, " +
      "2 perangkat tidak dapat mengirim",
  ],
  ["store", "is on fire, 3 times", "Penyimpanan: is on fire, 3 times"],
])("%s: %j", (part, reason, text) => {
  expect(troubleText({ part, reason }, "id")).toBe(text);
  expect(troubleText({ part, reason }, "en")).toBe(`${part}: ${reason}`);
});
