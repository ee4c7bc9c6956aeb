// The logger that Baileys gets.
import { errorName, harmless } from "../process/log.js";
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
