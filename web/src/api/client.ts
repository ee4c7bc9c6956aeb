// Calls of the gateway's catalogue of operations, with the session's cookie.
import { Problem, problemOf } from "./problem.ts";

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface CallOptions {
  query?: Query;
  body?: unknown;
  etag?: string; // For If-Match: refused where somebody else changed it meanwhile.
  signal?: AbortSignal;
}

/** What every change carries besides its cookie: another site's form cannot set it. */
const CHANGE_HEADER = { "X-Merpati-Request": "web" };

/** Told when the gateway no longer knows the session. */
export const sessionEnded = new EventTarget();

export async function call<Answer>(
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE",
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const response = await request(method, path, options);
  if (response.status === 204 || response.status === 202) return undefined as Answer;
  return (await response.json()) as Answer;
}

export async function request(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (method !== "GET") Object.assign(headers, CHANGE_HEADER);
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (options.etag) headers["If-Match"] = options.etag;
  let response: Response;
  try {
    response = await fetch(path + queryText(options.query), {
      method,
      headers,
      credentials: "same-origin",
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal,
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(0, "unreachable", "");
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (problem.status === 401 && !path.startsWith("/v1/session")) {
    sessionEnded.dispatchEvent(new Event("ended"));
  }
  throw problem;
}

/** "?a=1&b=2" of what is set; empty text, null and undefined are not. */
export function queryText(query: Query = {}): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const named = set.filter(([, value]) => value !== "").map(([k, v]) => [k, String(v)]);
  return named.length === 0 ? "" : `?${new URLSearchParams(named)}`;
}
