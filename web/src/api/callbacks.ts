// Operations on callbacks, their attempts, and the hosts that receive them.
import { answerOf, byId, type Cancel, client, given } from "./client.ts";
import type { CallbacksToReplay, CallbackTest, QueryOfAccount } from "./types.ts";

export type CallbackQuery = QueryOfAccount<"/v1/callbacks">;

export const listCallbacks = (query: CallbackQuery, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/callbacks", { params: { query: given(query) }, signal }));

export const readCallback = (id: string, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/callbacks/{id}", { ...byId(id), signal }));

export const listAttempts = (id: string, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/callbacks/{id}/attempts", { ...byId(id), signal }));

export const listHosts = (account: string, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/callbacks/hosts", { params: { query: { account } }, signal }));

export const replayFailed = (body: CallbacksToReplay) =>
  answerOf(client.POST("/v1/callbacks/replay", { body }));

export const testCallback = (body: CallbackTest) =>
  answerOf(client.POST("/v1/callbacks/test", { body }));

export const replayCallback = (id: string) =>
  answerOf(client.POST("/v1/callbacks/{id}/replay", byId(id)));
