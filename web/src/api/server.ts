// What administrators read of the server.
import { pageLanguage } from "../texts/language.ts";
import type { Trouble } from "../texts/troubles.ts";
import { answerOf, type Cancel, client, given } from "./client.ts";
import type { QueryOf } from "./types.ts";

export const readStatus = ({ signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/admin/status", { params: { query: { count: true } }, signal }));

/** The servers that share the database; with SQLite none. */
export const listNodes = ({ signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/admin/nodes", { signal }));

interface Readiness {
  ready: boolean;
  troubles: Trouble[];
}

/** Whether the gateway is ready, with the reasons why not, or its degraded parts. */
export async function readReadiness({ signal }: Cancel = {}): Promise<Readiness> {
  const response = await fetch("/readyz", {
    credentials: "omit",
    headers: { "Accept-Language": pageLanguage() },
    ...(signal && { signal }),
  });
  const body = (await response.json()) as { reasons?: Trouble[]; degraded?: Trouble[] };
  return { ready: response.ok, troubles: body.reasons ?? body.degraded ?? [] };
}

export const listLog = (query: QueryOf<"/v1/admin/log">, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/admin/log", { params: { query: given(query) }, signal }));
