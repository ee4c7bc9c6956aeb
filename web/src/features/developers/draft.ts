// The request that the Developers page builds.

export interface Draft {
  revision: "A" | "B";
  from: string;
  to: string;
  type: "text" | "media";
  text: string;
  url: string;
  delay: string;
  typing: boolean;
  callback: string;
}

/** Recipients for which the simulator plays each outcome (docs/simulator.md). */
export const OUTCOMES = {
  ok: "6281234567890",
  unregistered: "6281234991001",
  invalid: "6281234991002",
  media: "6281234991003",
  retried: "6281234995000",
  never: "6281234995001",
  failed: "6281234995002",
} as const;

export type Outcome = keyof typeof OUTCOMES;

/** The body of the request, with the fields of its revision, without empty ones. */
export function bodyOf(draft: Draft): Record<string, unknown> {
  const isA = draft.revision === "A";
  const body: Record<string, unknown> = { to: draft.to, from: draft.from, Type: draft.type };
  if (draft.text || draft.type === "text") body[isA ? "message" : "pesan"] = draft.text;
  if (draft.type === "media") body["url"] = draft.url;
  const delay = draft.delay.trim();
  if (delay) body["delay"] = /^\d+$/.test(delay) ? Number(delay) : delay;
  if (isA && draft.typing) body["typing"] = true;
  if (isA && draft.callback) body["callbackStatus"] = draft.callback;
  return body;
}
