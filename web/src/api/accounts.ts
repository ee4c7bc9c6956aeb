// Operations on accounts, their keys, credit and usage.
import {
  answerOf,
  byId,
  type Cancel,
  client,
  given,
  ifMatch,
  queryText,
  taggedAnswerOf,
} from "./client.ts";
import type {
  AccountChange,
  NewAccount,
  NewKey,
  OwnAccountChange,
  QueryOf,
  QueryOfAccount,
  UsagePage,
} from "./types.ts";

export const listAccounts = (query: QueryOf<"/v1/admin/accounts">, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/admin/accounts", { params: { query: given(query) }, signal }));

export const createAccount = (body: NewAccount) =>
  answerOf(client.POST("/v1/admin/accounts", { body }));

export const readAccount = (account: string, { signal }: Cancel = {}) =>
  taggedAnswerOf(client.GET("/v1/account", { params: { query: { account } }, signal }));

export const changeAccount = (account: string, tag: string, change: OwnAccountChange) =>
  taggedAnswerOf(
    client.PATCH("/v1/account", { params: ifMatch(tag), body: { account, ...change } }),
  );

export const readAccountAsAdmin = (id: string, { signal }: Cancel = {}) =>
  taggedAnswerOf(client.GET("/v1/admin/accounts/{id}", { ...byId(id), signal }));

export const changeAccountAsAdmin = (id: string, tag: string, body: AccountChange) =>
  taggedAnswerOf(
    client.PATCH("/v1/admin/accounts/{id}", { params: { path: { id }, ...ifMatch(tag) }, body }),
  );

export const listLedger = (query: QueryOfAccount<"/v1/account/credit">, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/account/credit", { params: { query: given(query) }, signal }));

export type UsageQuery = QueryOfAccount<"/v1/usage">;

export async function readUsage(query: UsageQuery, { signal }: Cancel = {}): Promise<UsagePage> {
  return (await answerOf(
    client.GET("/v1/usage", { params: { query: given(query) }, signal }),
  )) as UsagePage;
}

export const usageAddress = (query: UsageQuery) =>
  `/v1/usage${queryText({ ...query, format: "csv" })}`;

export const rotateSecret = (account: string) =>
  answerOf(client.POST("/v1/account/secret", { body: { account } }));

/** A repeat with the same key adds nothing again. */
export const topUp = (id: string, amount: number, reason: string, key: string) =>
  answerOf(
    client.POST("/v1/admin/accounts/{id}/topup", {
      params: { path: { id }, header: { "Idempotency-Key": key } },
      body: { amount, ...(reason && { reason }) },
    }),
  );

// --- Keys ---

export const listKeys = (query: QueryOfAccount<"/v1/keys">, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/keys", { params: { query: given(query) }, signal }));

export const createKey = (body: NewKey) => answerOf(client.POST("/v1/keys", { body }));

export const rotateKey = (id: string) => answerOf(client.POST("/v1/keys/{id}/rotate", byId(id)));

export const revokeKey = (id: string) => answerOf(client.DELETE("/v1/keys/{id}", byId(id)));
