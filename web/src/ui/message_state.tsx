import type { MessageState as Word } from "../api/types.ts";
import { type Texts, useText } from "../texts/index.tsx";
import { State, type Tone } from "./state.tsx";

const TONES: Record<Word, Tone> = {
  pending: "calm",
  sending: "busy",
  handed_over: "busy",
  sent: "good",
  failed: "bad",
  cancelled: "calm",
  held: "warn",
};

export function MessageState({ state }: { state: Word }) {
  const t = useText().messages;
  return <State tone={TONES[state] ?? "calm"}>{t.states[state] ?? state}</State>;
}

/** The meaning of a status code; empty: unknown. */
export function codeText(code: number | null | undefined, t: Texts): string {
  const known = t.messages.codes as Record<string, string>;
  return code ? (known[`c${code}`] ?? "") : "";
}
