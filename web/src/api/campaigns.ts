// Operations on campaigns and their recipients.
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
  CampaignChange,
  CampaignRecipient,
  NewCampaign,
  NewRecipients,
  QueryOf,
  QueryOfAccount,
  Uploaded,
} from "./types.ts";
import { type FileForm, type UploadOptions, uploadFile } from "./upload.ts";

const keyed = (id: string, key: string) => ({
  params: { path: { id }, header: { "Idempotency-Key": key } },
});

export type CampaignQuery = QueryOfAccount<"/v1/campaigns">;

export const listCampaigns = (query: CampaignQuery, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/campaigns", { params: { query: given(query) }, signal }));

export const readCampaign = (id: string, { signal }: Cancel = {}) =>
  taggedAnswerOf(client.GET("/v1/campaigns/{id}", { ...byId(id), signal }));

/** Creates a draft. A repeat with the same key creates no other. */
export const createCampaign = (body: NewCampaign, key: string) =>
  answerOf(client.POST("/v1/campaigns", { params: { header: { "Idempotency-Key": key } }, body }));

/** With a tag, the change is refused (412) if the campaign has changed since. */
export const changeCampaign = (id: string, body: CampaignChange, tag = "") =>
  taggedAnswerOf(
    client.PATCH("/v1/campaigns/{id}", {
      params: { path: { id }, ...(tag && ifMatch(tag)) },
      body,
    }),
  );

export const removeCampaign = (id: string) =>
  answerOf(client.DELETE("/v1/campaigns/{id}", byId(id)));

/** Why recipients got no message, counted exactly. */
export const readOutcomes = (id: string, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/campaigns/{id}/outcomes", { ...byId(id), signal }));

// --- Recipients ---

export type RecipientQuery = QueryOf<"/v1/campaigns/{id}/recipients">;

export const listRecipients = (id: string, query: RecipientQuery, { signal }: Cancel = {}) =>
  answerOf(
    client.GET("/v1/campaigns/{id}/recipients", {
      params: { path: { id }, query: given(query) },
      signal,
    }),
  );

export const recipientsAddress = (
  id: string,
  state: CampaignRecipient["state"] | "",
  format: "csv" | "ndjson" = "csv",
) => `/v1/campaigns/${id}/recipients/export${queryText({ state, format })}`;

export const uploadRecipients = (id: string, file: Blob, form: FileForm, options: UploadOptions) =>
  uploadFile<Uploaded>(`/v1/campaigns/${id}/recipients${queryText({ ...form })}`, file, options);

export const addRecipients = (id: string, body: NewRecipients) =>
  answerOf(client.POST("/v1/campaigns/{id}/recipients", { ...byId(id), body }));

export const emptyRecipients = (id: string) =>
  answerOf(client.DELETE("/v1/campaigns/{id}/recipients", byId(id)));

// --- Before the start ---

/** The message of a row; without one, of the first row, or of an audience that has none yet. */
export const previewCampaign = (id: string, row: number | undefined, { signal }: Cancel = {}) =>
  answerOf(
    client.POST("/v1/campaigns/{id}/preview", {
      ...byId(id),
      body: row === undefined ? {} : { row },
      signal,
    }),
  );

export const checkCampaign = (id: string, { signal }: Cancel = {}) =>
  answerOf(client.POST("/v1/campaigns/{id}/check", { ...byId(id), body: {}, signal }));

export const testCampaign = (id: string, to: string[], key: string) =>
  answerOf(client.POST("/v1/campaigns/{id}/test", { ...keyed(id, key), body: { to } }));

// --- While it runs ---

export const startCampaign = (id: string) =>
  answerOf(client.POST("/v1/campaigns/{id}/start", { ...byId(id), body: {} }));

export const pauseCampaign = (id: string) =>
  answerOf(client.POST("/v1/campaigns/{id}/pause", { ...byId(id), body: {} }));

export const resumeCampaign = (id: string) =>
  answerOf(client.POST("/v1/campaigns/{id}/resume", { ...byId(id), body: {} }));

export const cancelCampaign = (id: string) =>
  answerOf(client.POST("/v1/campaigns/{id}/cancel", { ...byId(id), body: {} }));

/** A code: only those that failed with it. */
export const retryCampaign = (id: string, scope: "failed" | "uncertain", code?: number) =>
  answerOf(
    client.POST("/v1/campaigns/{id}/retry", {
      ...byId(id),
      body: { scope, ...(code !== undefined && { code }) },
    }),
  );

export const cloneCampaign = (id: string, recipients: boolean) =>
  answerOf(client.POST("/v1/campaigns/{id}/clone", { ...byId(id), body: { recipients } }));
