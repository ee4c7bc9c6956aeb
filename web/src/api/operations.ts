// The operations that the app uses, one function each. Those that read can be cancelled.
import { pageLanguage } from "../texts/language.ts";
import type { Trouble } from "../texts/troubles.ts";
import {
  answerOf,
  type Cancel,
  client,
  given,
  ifMatch,
  type Query,
  queryText,
  taggedAnswerOf,
} from "./client.ts";
import type {
  AccountChange,
  CallbacksToReplay,
  CallbackTest,
  DeviceChange,
  NewAccount,
  NewDevice,
  NewKey,
  NewMessage,
  OwnAccountChange,
  PairingWish,
  QueryOf,
  QueryOfAccount,
  UsagePage,
} from "./types.ts";

const byId = (id: string) => ({ params: { path: { id } } });
const byNumber = (number: string) => ({ params: { path: { number } } });

// --- Messages ---

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

// --- Callbacks ---

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

// --- Devices ---

/** The ways by which a device can reach its platform. */
export const listConnectors = (account: string, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/connectors", { params: { query: given({ account }) }, signal }));

export const listDevices = (query: QueryOfAccount<"/v1/devices">, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/devices", { params: { query: given(query) }, signal }));

export const readDevice = (number: string, { signal }: Cancel = {}) =>
  taggedAnswerOf(client.GET("/v1/devices/{number}", { ...byNumber(number), signal }));

export const addDevice = (body: NewDevice) => answerOf(client.POST("/v1/devices", { body }));

export const changeDevice = (number: string, tag: string, body: DeviceChange) =>
  taggedAnswerOf(
    client.PATCH("/v1/devices/{number}", {
      params: { path: { number }, ...ifMatch(tag) },
      body,
    }),
  );

/** The templates of the device's business account at the official platform, which is asked. */
export const listTemplates = (
  number: string,
  query: QueryOf<"/v1/devices/{number}/templates">,
  { signal }: Cancel = {},
) =>
  answerOf(
    client.GET("/v1/devices/{number}/templates", {
      params: { path: { number }, query: given(query) },
      signal,
    }),
  );

export const removeDevice = (number: string) =>
  answerOf(client.DELETE("/v1/devices/{number}", byNumber(number)));

export const DEVICE_ACTIONS = {
  connect: (number: string) =>
    answerOf(client.POST("/v1/devices/{number}/connect", byNumber(number))),
  disconnect: (number: string) =>
    answerOf(client.POST("/v1/devices/{number}/disconnect", byNumber(number))),
  pause: (number: string) => answerOf(client.POST("/v1/devices/{number}/pause", byNumber(number))),
  resume: (number: string) =>
    answerOf(client.POST("/v1/devices/{number}/resume", byNumber(number))),
};

export type DeviceAction = keyof typeof DEVICE_ACTIONS;

export const pairDevice = (number: string, body: PairingWish) =>
  answerOf(client.POST("/v1/devices/{number}/pair", { ...byNumber(number), body }));

/** The QR code of a pairing, which the gateway draws, as a URL for an <img>. */
export async function readQrCode(number: string, { signal }: Cancel = {}): Promise<string> {
  const drawn = await answerOf(
    client.GET("/v1/devices/{number}/qr", {
      ...byNumber(number),
      headers: { Accept: "image/svg+xml" },
      parseAs: "text",
      signal,
    }),
  );
  return `data:image/svg+xml,${encodeURIComponent(String(drawn))}`;
}

export const readQueue = (number: string, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/devices/{number}/queue", { ...byNumber(number), signal }));

/** Cancels all messages that wait now; a call has a limit, so it may need several. */
export async function clearQueue(number: string): Promise<number> {
  let cancelled = 0;
  let until: string | undefined;
  for (;;) {
    const cleared = await answerOf(
      client.DELETE("/v1/devices/{number}/queue", {
        params: { path: { number }, query: until ? { accepted_until: until } : {} },
      }),
    );
    cancelled += cleared.cancelled;
    until = cleared.accepted_until;
    if (cleared.complete) return cancelled;
  }
}

export const readPairing = (number: string, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/devices/{number}/pairing", { ...byNumber(number), signal }));

export const answerPairing = (number: string, answer: string) =>
  answerOf(
    client.POST("/v1/devices/{number}/pairing/answer", { ...byNumber(number), body: { answer } }),
  );

// --- Keys ---

export const listKeys = (query: QueryOfAccount<"/v1/keys">, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/keys", { params: { query: given(query) }, signal }));

export const createKey = (body: NewKey) => answerOf(client.POST("/v1/keys", { body }));

export const rotateKey = (id: string) => answerOf(client.POST("/v1/keys/{id}/rotate", byId(id)));

export const revokeKey = (id: string) => answerOf(client.DELETE("/v1/keys/{id}", byId(id)));

// --- Accounts ---

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

export const topUp = (id: string, amount: number, reason: string) =>
  answerOf(
    client.POST("/v1/admin/accounts/{id}/topup", {
      ...byId(id),
      body: { amount, ...(reason && { reason }) },
    }),
  );

// --- Server ---

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
