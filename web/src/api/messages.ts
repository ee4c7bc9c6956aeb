// Operations on messages.
import { answerOf, byId, type Cancel, client, given, type Query, queryText } from "./client.ts";
import type { NewMessage, QueryOfAccount } from "./types.ts";

export type MessageQuery = QueryOfAccount<"/v1/messages">;

export const listMessages = (query: MessageQuery, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/messages", { params: { query: given(query) }, signal }));

export const exportAddress = (query: Query) => `/v1/messages/export${queryText(query)}`;

export const readMessage = (id: string, body = false, { signal }: Cancel = {}) =>
  answerOf(
    client.GET("/v1/messages/{id}", {
      params: { path: { id }, query: body ? { body: true } : {} },
      signal,
    }),
  );

/** Sends a message. A repeat with the same key and body within 24 hours sends nothing again. */
export const sendMessage = (body: NewMessage, key: string, { signal }: Cancel = {}) =>
  answerOf(
    client.POST("/v1/messages", { params: { header: { "Idempotency-Key": key } }, body, signal }),
  );

export const readTimeline = (id: string, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/messages/{id}/timeline", { ...byId(id), signal }));

export const MESSAGE_ACTIONS = {
  "send-now": (id: string) => answerOf(client.POST("/v1/messages/{id}/send-now", byId(id))),
  retry: (id: string) => answerOf(client.POST("/v1/messages/{id}/retry", byId(id))),
  cancel: (id: string) => answerOf(client.POST("/v1/messages/{id}/cancel", byId(id))),
  release: (id: string) => answerOf(client.POST("/v1/messages/{id}/release", byId(id))),
  fail: (id: string) => answerOf(client.POST("/v1/messages/{id}/fail", byId(id))),
};

export type MessageAction = keyof typeof MESSAGE_ACTIONS;

/** Posts a send with a key, as a customer's program does; resolves with the gateway's answer. */
export async function sendWithKey(key: string, revision: string, body: unknown) {
  const response = await fetch("/v1/send", {
    method: "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      "X-Api-Revision": revision,
    },
    credentials: "omit",
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
