// Starts the converter like the command line does.
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import type { MemoryValues } from "./memory_values.js";

export const converter = fileURLToPath(new URL("../../dist/convert.js", import.meta.url));

export interface Converted {
  code: number;
  /// Its output.
  said: string;
  /// The lines from the socket.
  lines: Record<string, unknown>[];
}

export async function convert(
  what: "import" | "export",
  number: string,
  folder: string,
  given: object[] = [],
): Promise<Converted> {
  const child = spawn(process.execPath, [converter, what, number, folder], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const socket = child.stdio[3] as Duplex;
  let said = "";
  let received = "";
  child.stdout!.on("data", (piece: Buffer) => (said += piece.toString()));
  child.stderr!.on("data", (piece: Buffer) => (said += piece.toString()));
  socket.on("data", (piece: Buffer) => (received += piece.toString()));
  socket.on("error", () => {});
  socket.end(given.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const [code] = (await once(child, "close")) as [number];
  const lines = received.split("\n").filter((line) => line !== "");
  return { code, said, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

/// Imports a folder into the gateway's store; resolves with the converter's last line.
export async function importFolder(
  number: string,
  folder: string,
  values: MemoryValues,
): Promise<Record<string, unknown>> {
  const { code, said, lines } = await convert("import", number, folder);
  if (code !== 0) {
    throw new Error(said);
  }
  values.values.clear();
  for (const line of lines) {
    if (typeof line["name"] === "string") {
      values.values.set(line["name"], String(line["value"]));
    }
  }
  return lines.at(-1)!;
}

export function exportFolder(
  number: string,
  folder: string,
  values: MemoryValues,
): Promise<Converted> {
  const secrets = [...values.values].map(([name, value]) => ({ name, value }));
  return convert("export", number, folder, [...secrets, { done: true }]);
}
