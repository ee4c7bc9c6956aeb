// The operations that the app uses, one function each.
import { call, type Query, queryText } from "./client.ts";
import { Problem } from "./problem.ts";
import type {
  Account,
  ApiKey,
  Callback,
  CallbackAttempt,
  Device,
  Message,
  MessageDetail,
  Page,
  Pairing,
  Session,
  SignedIn,
  Status,
  TimelineEvent,
} from "./types.ts";

const part = encodeURIComponent;

// --- Session ---

export async function readSession(): Promise<Session | null> {
  try {
    return await call<Session>("GET", "/v1/session");
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return null;
    throw error;
  }
}

export const signIn = (body: { email: string; password: string; totp?: string }) =>
  call<Session>("POST", "/v1/session", { body });

export const signInByLink = (token: string) =>
  call<Session>("POST", "/v1/session/link", { body: { token } });

export const signOut = () => call<void>("DELETE", "/v1/session");

export const listSessions = () => call<Page<SignedIn>>("GET", "/v1/sessions");

export const endSession = (id: string) => call<void>("DELETE", `/v1/sessions/${part(id)}`);

export const changePassword = (body: { current?: string; password: string }) =>
  call<void>("POST", "/v1/session/password", { body });

export const beginTotp = () => call<{ secret: string; url: string }>("POST", "/v1/session/totp");

export const confirmTotp = (code: string) =>
  call<void>("POST", "/v1/session/totp/confirm", { body: { totp: code } });

export const endTotp = (password: string) =>
  call<void>("DELETE", "/v1/session/totp", { query: { password } });

// --- Messages ---

export const listMessages = (query: Query) => call<Page<Message>>("GET", "/v1/messages", { query });

export const exportAddress = (query: Query) => `/v1/messages/export${queryText(query)}`;

export const readMessage = (id: string, body = false) =>
  call<MessageDetail>("GET", `/v1/messages/${part(id)}`, { query: body ? { body: true } : {} });

export const readTimeline = (id: string) =>
  call<Page<TimelineEvent>>("GET", `/v1/messages/${part(id)}/timeline`);

export type MessageAction = "cancel" | "send-now" | "retry" | "release" | "fail";

export const actOnMessage = (id: string, action: MessageAction) =>
  call<Message>("POST", `/v1/messages/${part(id)}/${action}`);

// --- Callbacks ---

export const listCallbacks = (query: Query) =>
  call<Page<Callback>>("GET", "/v1/callbacks", { query });

export const readCallback = (id: string) => call<Callback>("GET", `/v1/callbacks/${part(id)}`);

export const listAttempts = (id: string) =>
  call<Page<CallbackAttempt>>("GET", `/v1/callbacks/${part(id)}/attempts`);

export const replayCallback = (id: string) =>
  call<Callback>("POST", `/v1/callbacks/${part(id)}/replay`);

// --- Devices ---

export const listDevices = (account: string) =>
  call<Page<Device>>("GET", "/v1/devices", { query: { account } });

export const readDevice = (number: string) => call<Device>("GET", `/v1/devices/${part(number)}`);

export const addDevice = (body: { account: string; number: string; webhook?: string }) =>
  call<Device>("POST", "/v1/devices", { body });

export const changeDevice = (number: string, body: Partial<Device>) =>
  call<Device>("PATCH", `/v1/devices/${part(number)}`, { body });

export const removeDevice = (number: string) => call<void>("DELETE", `/v1/devices/${part(number)}`);

export type DeviceAction = "connect" | "disconnect" | "pause" | "resume";

export const actOnDevice = (number: string, action: DeviceAction) =>
  call<Device>("POST", `/v1/devices/${part(number)}/${action}`);

export const pairDevice = (number: string, method?: string) =>
  call<Pairing>("POST", `/v1/devices/${part(number)}/pair`, { body: method ? { method } : {} });

export const readPairing = (number: string) =>
  call<Pairing>("GET", `/v1/devices/${part(number)}/pairing`);

export const answerPairing = (number: string, answer: string) =>
  call<Pairing>("POST", `/v1/devices/${part(number)}/pairing/answer`, { body: { answer } });

/** Where the QR code of a pairing is drawn; `payload` makes the address another one when it is. */
export const qrAddress = (number: string, payload: string) =>
  `/v1/devices/${part(number)}/qr?of=${part(payload.slice(-12))}`;

export const clearQueue = (number: string) =>
  call<{ cancelled: number }>("DELETE", `/v1/devices/${part(number)}/queue`);

// --- Keys ---

export const listKeys = (account: string) =>
  call<Page<ApiKey>>("GET", "/v1/keys", { query: { account } });

export interface NewKey {
  account: string;
  name: string;
  revision: string;
  scopes: string[];
}

export const createKey = (body: NewKey) =>
  call<ApiKey & { key: string }>("POST", "/v1/keys", { body });

export const rotateKey = (id: string) =>
  call<ApiKey & { key: string; previous_expires_at: string }>(
    "POST",
    `/v1/keys/${part(id)}/rotate`,
  );

export const revokeKey = (id: string) => call<void>("DELETE", `/v1/keys/${part(id)}`);

// --- Account ---

export const readAccount = (account: string) =>
  call<Account>("GET", "/v1/account", { query: { account } });

export const changeAccount = (account: string, body: { name?: string; callback?: string | null }) =>
  call<Account>("PATCH", "/v1/account", { body: { account, ...body } });

export interface NewSecret {
  webhook_secret: string;
  previous_valid_until: string | null;
}

export const rotateSecret = (account: string) =>
  call<NewSecret>("POST", "/v1/account/secret", { body: { account } });

// --- Server ---

export const listAccounts = () => call<Page<Account>>("GET", "/v1/admin/accounts");

export const createAccount = (body: { name: string; plan: string; credit?: number }) =>
  call<Account & { webhook_secret: string }>("POST", "/v1/admin/accounts", { body });

export const topUp = (id: string, amount: number) =>
  call<Account>("POST", `/v1/admin/accounts/${part(id)}/topup`, { body: { amount } });

export const readStatus = () => call<Status>("GET", "/v1/admin/status", { query: { count: true } });

/** Posts a send with a key, as a customer's program does; answers what the gateway said. */
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

interface Readiness {
  ready: boolean;
  reasons: { part: string; reason: string }[];
}

/** What keeps the gateway from being ready; its answer is a failure with reasons then. */
export async function readReadiness(): Promise<Readiness> {
  const response = await fetch("/readyz", { credentials: "omit" });
  const body = (await response.json()) as { reasons?: Readiness["reasons"] };
  return { ready: response.ok, reasons: body.reasons ?? [] };
}
