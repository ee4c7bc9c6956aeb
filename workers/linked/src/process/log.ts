// Makes texts safe for logs: short sentences without numbers, keys and contents.

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

/// An error's message without what it may quote, and its code.
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) {
    return "unknown error";
  }
  const status = (error as { output?: { statusCode?: number } }).output?.statusCode;
  const code = (error as NodeJS.ErrnoException).code;
  const known = status ?? (typeof code === "string" ? code : undefined);
  return known === undefined ? harmless(error.message) : `${harmless(error.message)} (${known})`;
}
