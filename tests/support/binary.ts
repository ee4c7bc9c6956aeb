// The executable under test, run as an operator runs it.
import { spawn, type ChildProcess } from "node:child_process";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { waitFor, within } from "./wait.ts";

export const binary = resolve(
  process.env["MERPATI_BINARY"] ?? resolve(import.meta.dirname, "../../build/dev/merpati"),
);

/** The environment without MERPATI_ variables, which would change the settings under test. */
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
  input?: string | Readable; // What a person types, or a pipe holds.
}

/** Runs one command to its end. */
export async function command(
  args: string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const child = spawn(binary, args, {
    env: environment(options.environment),
    cwd: options.folder,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (stdout += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (stderr += piece));
  child.stdin.on("error", () => {}); // The command may end before it has read everything.
  if (options.input instanceof Readable) options.input.pipe(child.stdin);
  else child.stdin.end(options.input);
  const code = await ended(child, `merpati ${args.join(" ")}`);
  return { code, stdout, stderr };
}

/**
 * Runs one command on a terminal of 80 columns. `question` is answered when it is shown. Resolves
 * with the exit code and the terminal's output.
 */
export async function onTerminal(
  args: string[],
  question?: { text: string; answer: string },
): Promise<{ code: number; shown: string }> {
  const line = [binary, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qefc", `stty cols 80 rows 50; ${line}`, "/dev/null"], {
    env: environment({ TERM: "xterm" }),
    stdio: ["pipe", "pipe", "inherit"],
  });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (shown += piece));
  if (question) {
    await waitFor(question.text, () => shown.includes(question.text));
    child.stdin.write(`${question.answer}\n`);
  }
  return { code: await ended(child, `merpati ${args.join(" ")}`), shown };
}

async function ended(child: ChildProcess, what: string): Promise<number> {
  const code = new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve(status ?? -1));
  });
  try {
    return await within(what, code, 30_000);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}
