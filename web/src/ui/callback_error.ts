// Words the error of a callback in the reader's language.
import type { Texts } from "../texts/index.tsx";

/** Translates the kind of "unreachable: the name cannot be resolved"; keeps "HTTP 503". */
export function callbackError(error: string, t: Texts): string {
  const colon = error.indexOf(": ");
  if (colon < 0) return error;
  const kinds = t.callbacks.errors as Record<string, string>;
  return kinds[error.slice(0, colon)] ?? t.callbacks.errors.other;
}

/** The last answer: a status, or the reason why there is none. */
export function lastAnswer(
  { last_status, last_error }: { last_status: number | null; last_error: string | null },
  t: Texts,
): string {
  if (last_status !== null) return `HTTP ${last_status}`;
  return last_error ? callbackError(last_error, t) : "";
}
