// The texts of `details` in callbacks, read from the sources of the scheduler, the media room and
// the simulator.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const SOURCE = resolve(import.meta.dirname, "../../src");

/** Never in a callback: a held message causes none, and the others lead to another attempt. */
const SILENT = ["held", "busy", "closing"];

function read(file: string): string {
  return readFileSync(resolve(SOURCE, file), "utf8");
}

/** Every text by its name in the source, and the simulator's texts by their code. */
export function detailsOfSource(): Map<string, string> {
  const texts = new Map<string, string>();
  for (const file of ["scheduler/details.hpp", "media/file_source.hpp"]) {
    for (const [, name, text] of read(file).matchAll(/string_view (\w+) =\s*"([^"]+)";/g)) {
      if (!SILENT.includes(name!)) texts.set(name!, text!);
    }
  }
  const platform = read("connector/simulator/recipients.cpp");
  const refusals = platform.matchAll(/refused\(StatusCode::(recipient_\w+),\s*"([^"]+)"\)/g);
  for (const [, code, text] of refusals) texts.set(code!, text!);
  return texts;
}
