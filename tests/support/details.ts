// The texts of `details` in callbacks, read from src/model/texts.hpp.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** Never in a callback: a held message causes none, and the others lead to another attempt. */
const SILENT = [
  "accepted",
  "device_not_connected",
  "connector_missing",
  "connector_busy",
  "connector_closing",
  "connector_unreadable",
  "connector_silent",
  "connector_ended",
  "simulator_closing",
  "answer_lost",
  "host_busy",
  "fetcher_closing",
  "platform_throttles",
  "new_chats_restricted",
  "unknown",
  "held",
  "held_after_crashes",
  "crashed",
];

/** Every text by its name in the source. */
export function detailsOfSource(): Map<string, string> {
  const source = readFileSync(
    resolve(import.meta.dirname, "../../src/model/texts.hpp"),
    "utf8",
  ).split("namespace merpati::model::reasons")[0]!;
  const found = [...source.matchAll(/string_view (\w+) =\s*"([^"]+)";/g)];
  return new Map(
    found
      .map(([, name, text]) => [name!, text!] as const)
      .filter(([name]) => !SILENT.includes(name)),
  );
}
