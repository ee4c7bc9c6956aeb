// The executable under test, run as an operator runs it.
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { within } from "./wait.ts";

export const binary = resolve(
  process.env["MERPATI_BINARY"] ?? resolve(import.meta.dirname, "../../build/dev/merpati"),
);

/** The environment without settings of the outside; `MERPATI_…` of ours are for this suite. */
export function environment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("MERPATI_"));
  return { ...Object.fromEntries(kept), ...extra };
}

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  environment?: Record<string, string>;
  folder?: string;
}

/** Runs one command to its end. */
export async function command(
  args: string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const child = spawn(binary, args, {
    env: environment(options.environment),
    cwd: options.folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (stdout += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (stderr += piece));
  const ended = new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? -1));
  });
  try {
    const code = await within(`merpati ${args.join(" ")}`, ended, 30_000);
    return { code, stdout, stderr };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}
