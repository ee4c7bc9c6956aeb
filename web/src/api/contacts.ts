// Operations on contacts and suppressions: people who are kept for campaigns, and numbers that
// campaigns must not reach.
import {
  answerOf,
  type Cancel,
  client,
  given,
  ifMatch,
  queryText,
  taggedAnswerOf,
} from "./client.ts";
import type {
  ContactImport,
  NewContact,
  QueryOfAccount,
  SuppressionImport,
  SuppressionReason,
} from "./types.ts";
import { type FileForm, type UploadOptions, uploadFile } from "./upload.ts";

const of = (account: string, number: string) => ({ query: { account }, path: { number } });

export type ContactQuery = QueryOfAccount<"/v1/contacts">;

export const listContacts = (query: ContactQuery, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/contacts", { params: { query: given(query) }, signal }));

export const readContact = (account: string, number: string, { signal }: Cancel = {}) =>
  taggedAnswerOf(client.GET("/v1/contacts/{number}", { params: of(account, number), signal }));

/**
 * Adds or replaces a contact. Refused (412) if it is no longer as the tag says, or, without a tag,
 * if there is one.
 */
export const putContact = (number: string, tag: string | undefined, body: NewContact) =>
  taggedAnswerOf(
    client.PUT("/v1/contacts/{number}", {
      params: {
        path: { number },
        ...(tag === undefined ? { header: { "If-None-Match": "*" as const } } : ifMatch(tag)),
      },
      body,
    }),
  );

/** `everywhere`: the person's values and texts in campaigns and messages, too. */
export const removeContact = (account: string, number: string, everywhere: boolean) =>
  answerOf(
    client.DELETE("/v1/contacts/{number}", {
      params: { path: { number }, query: { account, everywhere } },
    }),
  );

export type ListFormat = "csv" | "ndjson";

export const contactsAddress = (account: string, tags: string[], format: ListFormat) =>
  `/v1/contacts/export${queryText({ account, tag: tags.join(","), format })}`;

export const importContacts = (
  account: string,
  tags: string[],
  file: Blob,
  form: FileForm,
  options: UploadOptions,
) => {
  const query = queryText({ account, tag: tags.join(","), ...form });
  return uploadFile<ContactImport>(`/v1/contacts/import${query}`, file, options);
};

// --- Suppressions ---

export type SuppressionQuery = QueryOfAccount<"/v1/suppressions">;

export const listSuppressions = (query: SuppressionQuery, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/suppressions", { params: { query: given(query) }, signal }));

/** One whose person opted out stays as it is. */
export const putSuppression = (account: string, number: string, reason: SuppressionReason) =>
  answerOf(
    client.PUT("/v1/suppressions/{number}", {
      params: { path: { number } },
      body: { account, reason },
    }),
  );

export const removeSuppression = (account: string, number: string) =>
  answerOf(client.DELETE("/v1/suppressions/{number}", { params: of(account, number) }));

export const suppressionsAddress = (account: string, format: ListFormat) =>
  `/v1/suppressions/export${queryText({ account, format })}`;

export const importSuppressions = (
  account: string,
  file: Blob,
  form: FileForm,
  options: UploadOptions,
) =>
  uploadFile<SuppressionImport>(
    `/v1/suppressions/import${queryText({ account, ...form })}`,
    file,
    options,
  );
