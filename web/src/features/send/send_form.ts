// What a person has typed on the page, and what became of it. It stays in the browser's session, so
// that a reload, a failure or another page loses nothing.
import type { NewMessage } from "../../api/types.ts";
import { randomKey } from "../../ui/random_key.ts";

export type Delay = "now" | "random" | `s${number}`;

/** What became of one recipient's message. */
export interface Result {
  to: string;
  id?: string; // Of the accepted message.
  refusal?: string; // Why it was not accepted, in the gateway's words.
  unknown?: boolean; // The gateway did not answer.
  earlier?: boolean; // An earlier try, whose answer was lost, was accepted.
}

export interface SendForm {
  from: string; // Empty: not chosen.
  to: string[]; // Who has got nothing yet, in international form.
  typed: string; // In the field for recipients.
  type: NewMessage["type"];
  text: string;
  url: string;
  delay: Delay;
  typing: boolean;
  keys: Record<string, string>; // The Idempotency-Key of each recipient who was tried.
  results: Result[]; // The last ones, newest first.
}

export const EMPTY_FORM: SendForm = {
  from: "",
  to: [],
  typed: "",
  type: "text",
  text: "",
  url: "",
  delay: "now",
  typing: false,
  keys: {},
  results: [],
};

const RESULTS_MAX = 30;

/** The most characters that the gateway accepts. */
export const CHARACTERS_MAX = { text: 4096, media: 1024 } as const;

/** As the gateway counts: an emoji may have several. */
export function charactersOf(text: string): number {
  return [...text].length;
}

/** The request for a recipient, without empty fields. */
export function bodyOf(form: SendForm, account: string, to: string): NewMessage {
  const { from, type, text, url, delay, typing } = form;
  return {
    account,
    from,
    to,
    type,
    ...((text || type === "text") && { message: text }),
    ...(type === "media" && { url: url.trim() }),
    ...(delay !== "now" && { delay: delay === "random" ? delay : Number(delay.slice(1)) }),
    typing,
  };
}

/** The form with a key for the recipient, which stays until the gateway has decided. */
export function withKey(form: SendForm, to: string): SendForm {
  return form.keys[to] ? form : { ...form, keys: { ...form.keys, [to]: randomKey() } };
}

/** The form with the result. Who has got a message is no longer among the recipients. */
export function withResult(form: SendForm, result: Result): SendForm {
  // An accepted message stays in the list; a new try replaces a failed one.
  const others = form.results.filter((one) => one.id || one.earlier || one.to !== result.to);
  const results = [result, ...others].slice(0, RESULTS_MAX);
  if (!result.id && !result.earlier) return { ...form, results };
  const { [result.to]: _, ...keys } = form.keys;
  return { ...form, results, keys, to: form.to.filter((one) => one !== result.to) };
}
