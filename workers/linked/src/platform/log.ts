// Makes texts safe for logs: short sentences without numbers, keys and contents.
import type { Gateway, LogLevel } from "../protocol/gateway.js";

/// The part of Baileys' logger that it calls.
export interface BaileysLogger {
  level: string;
  child(fields: object): BaileysLogger;
  trace(fields: unknown, text?: string): void;
  debug(fields: unknown, text?: string): void;
  info(fields: unknown, text?: string): void;
  warn(fields: unknown, text?: string): void;
  error(fields: unknown, text?: string): void;
}

const TEXT_MAX = 240;

/// Removes anything that may be a number, an address, a key or a message: runs of digits, long
/// words, quoted text, and everything from a bracket or brace on.
export function harmless(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
    .replace(/[{[].*$/su, "…")
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/gu, "…")
    .replace(/\S*@\S*/gu, "…")
    .replace(/[+]?\d[\d\s().-]{4,}\d/gu, "…")
    .replace(/[A-Za-z0-9+/=_-]{24,}/gu, "…")
    .slice(0, TEXT_MAX);
}

/// An error's kind and its platform code. Its message is left out, because it may quote contents.
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) {
    return "unknown error";
  }
  const status = (error as { output?: { statusCode?: number } }).output?.statusCode;
  const code = (error as NodeJS.ErrnoException).code;
  const known = status ?? (typeof code === "string" ? code : undefined);
  return known === undefined ? harmless(error.message) : `${harmless(error.message)} (${known})`;
}

/// Baileys' logger. Logs the sentences of warnings and errors, with the name of the error. Other
/// fields are dropped.
export function baileysLogger(gateway: Pick<Gateway, "log">, device: string): BaileysLogger {
  const say = (level: LogLevel) => (fields: unknown, text?: string) => {
    const sentence = typeof fields === "string" ? fields : (text ?? "");
    const about = fields as { err?: unknown; error?: unknown } | null;
    const error = typeof about === "object" ? (about?.err ?? about?.error) : undefined;
    const cause = error instanceof Error ? `: ${errorName(error)}` : "";
    gateway.log(level, harmless(sentence) + cause, device);
  };
  const nothing = (): void => {};
  const logger: BaileysLogger = {
    level: "warn",
    child: () => logger,
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: say("debug"), // Baileys warns of ordinary events.
    error: say("warn"),
  };
  return logger;
}
