// What callbacks carry in `details`, read from the source: the catalogues of the scheduler and of
// the media library, and what the simulated platform says.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const SOURCE = resolve(import.meta.dirname, "../../src");

/** These are never sent: a held message is told to nobody, and the others are tried again. */
const SILENT = ["held", "busy", "closing"];

function read(file: string): string {
  return readFileSync(resolve(SOURCE, file), "utf8");
}

/** Every text by its name in the catalogue, the simulated platform's by the code they come with. */
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
