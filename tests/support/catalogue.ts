// The catalogue of operations, read from docs/openapi.yaml, for tests of all operations.
import type { Account } from "./account.ts";
import { deref, operations, type Answer, type Json } from "./contract.ts";
import type { Gateway } from "./gateway.ts";

export interface Row {
  name: string; // "POST /v1/keys/{id}/rotate"
  method: string;
  path: string;
  scope: string | null; // Null: every authenticated caller.
  node: Json;
}

export const SCOPES = [
  "send",
  "messages:read",
  "messages:manage",
  "campaigns:read",
  "campaigns:manage",
  "devices:manage",
  "callbacks:manage",
  "account:read",
  "account:manage",
] as const;

/** Operations of the catalogue that need a session or a key. */
export const rows: Row[] = [...operations].flatMap(([name, { node }]): Row[] => {
  const [method, path] = name.split(" ") as [string, string];
  const refused = node.responses["401"] && deref(node.responses["401"]).content;
  if (!refused?.["application/problem+json"] || node.security?.length === 0) return [];
  const byKey = byKeyOf(node);
  return byKey ? [{ name, method, path, scope: byKey.apiKey[0] ?? null, node }] : [];
});

function byKeyOf(node: Json): Json {
  return (node.security ?? []).find((one: Json) => one.apiKey);
}

/** Operations of a person's own session, which no key can call. */
export const sessionRows: Row[] = [...operations].flatMap(([name, { node }]): Row[] => {
  const [method, path] = name.split(" ") as [string, string];
  const byCookieAlone = node.security?.some((one: Json) => one.session) && !byKeyOf(node);
  return byCookieAlone ? [{ name, method, path, scope: null, node }] : [];
});

/** The first example of an operation's body, or nothing. */
export function exampleBody(row: Row): Json {
  const media = row.node.requestBody?.content?.["application/json"];
  return (Object.values<Json>(media?.examples ?? {})[0] as Json)?.value;
}

/** The required query of an operation, from its schemas' examples: "?number=6289876543210". */
export function exampleQuery(row: Row): string {
  const required = (row.node.parameters ?? [])
    .map((one: Json) => deref(one))
    .filter((one: Json) => one.in === "query" && one.required)
    .map((one: Json) => `${one.name}=${deref(one.schema).examples[0]}`);
  return required.length > 0 ? `?${required.join("&")}` : "";
}

export interface Caller {
  key?: string;
  headers?: Record<string, string>;
}

/** One call, whose answer is checked against the description. */
export async function call(
  gateway: Gateway,
  row: { method: string; path: string },
  by: Caller = {},
  body?: unknown,
): Promise<Answer & { json: Json }> {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const answer = await gateway.request({
    method: row.method,
    path: row.path,
    headers: { ...(by.key && { authorization: `Bearer ${by.key}` }), ...by.headers },
    body: text as string | undefined,
  });
  const isJson = (answer.headers["content-type"] ?? "").includes("json");
  return { ...answer, json: isJson && answer.text ? parsed(answer.text) : undefined };
}

/** Parses an answer; of JSON lines only the first. */
function parsed(text: string): Json {
  return JSON.parse(text.includes("\n") ? text.slice(0, text.indexOf("\n")) : text);
}

/** The ids of an account's resources, one for each path parameter. */
export interface Ids {
  account: string;
  device: string;
  message: string;
  callback: string;
  key: string;
  campaign?: string; // Missing: one that does not exist.
}

/** A body that is read in pieces, and a query with its parameters. */
export const isUpload = (row: Row): boolean => Boolean(row.node.requestBody?.content["text/csv"]);

/** Contacts and suppressions are named by a number, which every account may have. */
export const isOfPeople = (row: Row): boolean => /^\/v1\/(contacts|suppressions)/.test(row.path);

/** The path with its parameter filled in. */
export function at(path: string, ids: Ids): string {
  const id = /^\/v1\/(messages|received)/.test(path)
    ? ids.message
    : path.startsWith("/v1/callbacks")
      ? ids.callback
      : path.startsWith("/v1/keys")
        ? ids.key
        : path.startsWith("/v1/admin/accounts")
          ? ids.account
          : path.startsWith("/v1/campaigns")
            ? (ids.campaign ?? "999")
            : "1";
  return path.replace("{number}", ids.device).replace("{id}", id);
}

export async function keyWith(account: Account, scopes: readonly string[]): Promise<string> {
  return (await account.createKey({ scopes: scopes.join(",") })).key;
}
