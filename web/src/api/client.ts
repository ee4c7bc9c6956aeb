// Calls operations of the gateway's catalogue with the session's cookie. Paths, parameters and
// answers have the types of docs/openapi.yaml.
import createClient, { type Middleware } from "openapi-fetch";
import type { paths } from "../../build/schema.d.ts";
import { pageLanguage } from "../texts/language.ts";
import { Problem, problemOf } from "./problem.ts";
import { reached, unreached } from "./reachable.ts";

/** Dispatches "ended" when the gateway no longer knows the session. */
export const sessionEnded = new EventTarget();

/** A header that every change must have, because a page of another site cannot set it. */
export const CHANGE_HEADER = "X-Merpati-Request";

const rules: Middleware = {
  onRequest({ request }) {
    if (!request.headers.has("Accept")) request.headers.set("Accept", "application/json");
    request.headers.set("Accept-Language", pageLanguage());
    if (request.method !== "GET") request.headers.set(CHANGE_HEADER, "1");
    return request;
  },
  async onResponse({ request, response }) {
    reached();
    if (response.ok) return response;
    const problem = await problemOf(response);
    const isSignIn = new URL(request.url).pathname.startsWith("/v1/session");
    if (problem.status === 401 && !isSignIn) sessionEnded.dispatchEvent(new Event("ended"));
    throw problem;
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === "AbortError") return error;
    if (error instanceof Problem) return error;
    unreached();
    return new Problem(0, "unreachable", "");
  },
};

export const client = createClient<paths>({
  baseUrl: location.origin,
  credentials: "same-origin",
  // Looked up at each call, because tests replace it.
  fetch: (request) => fetch(request),
});
client.use(rules);

/** The path's parameter of an operation on one item. */
export const byId = (id: string) => ({ params: { path: { id } } });

/** The answer of an operation. A failed call throws a Problem before this. */
export async function answerOf<Answer>(pending: Promise<{ data?: Answer }>): Promise<Answer> {
  return (await pending).data as Answer;
}

/** The signal of a query, which ends a request whose answer nobody waits for any more. */
export interface Cancel {
  signal?: AbortSignal | undefined;
}

/** An answer with its ETag, which a later change sends to say which state it is based on. */
export type Tagged<Answer> = Answer & { readonly tag: string };

export async function taggedAnswerOf<Answer>(
  pending: Promise<{ data?: Answer; response: Response }>,
): Promise<Tagged<Answer>> {
  const { data, response } = await pending;
  return { ...(data as Answer), tag: response.headers.get("ETag") ?? "" };
}

/** The header that makes the gateway refuse a change (412) if the resource has changed since. */
export const ifMatch = (tag: string) => ({ header: { "If-Match": tag } });

/**
 * Saves what is based on a state with a tag. If somebody else changed it first, nothing is saved,
 * and it is read again.
 */
export async function saveOrRead<State>(
  save: () => Promise<State>,
  read: () => Promise<State>,
): Promise<{ present: State; conflict?: Problem }> {
  try {
    return { present: await save() };
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 412) throw error;
    return { present: await read(), conflict: error };
  }
}

export type Query = Record<string, string | number | boolean | null | undefined>;

/** "?a=1&b=2" from the parameters that are set; empty text, null and undefined are left out. */
export function queryText(query: Query = {}): string {
  const named = Object.entries(given(query)).map(([name, value]) => [name, String(value)]);
  return named.length === 0 ? "" : `?${new URLSearchParams(named)}`;
}

type Given<Q> = { [Name in keyof Q]: Exclude<Q[Name], null | ""> };

/** The parameters that are set; empty ones are left out. */
export function given<Q extends object>(query: Q): Given<Q> {
  const set = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  return Object.fromEntries(set) as Given<Q>;
}
