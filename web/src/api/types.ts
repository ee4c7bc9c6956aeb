// What the operations of the catalogue answer.

export interface Page<Item> {
  items: Item[];
  next: string | null;
}

export type Role = "owner" | "operator" | "viewer";

export interface Session {
  person: { id: string; email: string; admin: boolean; totp: boolean };
  accounts: { id: string; name: string; role: Role }[];
}

export interface SignedIn {
  id: string;
  current: boolean;
  address: string;
  agent: string;
  created_at: string;
  seen_at: string;
}

export type Plan = "paid" | "trial" | "free";

export interface Account {
  id: string;
  name: string;
  plan: Plan;
  credit: number | null;
  expires_at: string | null;
  rate: string;
  callback: string | null;
  delivery: string;
  devices_max: number;
  created_at: string;
}

export type MessageState =
  | "pending"
  | "sending"
  | "handed_over"
  | "sent"
  | "failed"
  | "cancelled"
  | "held";

export interface Message {
  id: string;
  account: string;
  from: string;
  to: string;
  type: "text" | "media";
  revision: "A" | "B";
  state: MessageState;
  attempts: number;
  accepted_at: string;
  due_at: string;
  next_attempt_at: string | null;
  finished_at: string | null;
  code: number | null;
  details: string | null;
  platform_id: string | null;
  typing: boolean;
  media: string | null;
  callback: string | null;
  campaign: string | null;
  charged: boolean;
}

export interface MessageDetail extends Message {
  body?: string | null;
  waits?: { for: string; since: string; text: string } | null;
  callbacks?: Callback[];
}

export interface TimelineEvent {
  at: string;
  event: string;
  text: string;
  attempt?: number | null;
  code?: number | null;
  status?: number | null;
  duration_ms?: number | null;
  answer?: string | null;
}

export type CallbackState = "waiting" | "delivered" | "exhausted" | "gone";

export interface Callback {
  id: string;
  account: string;
  kind: "message_status" | "device_event";
  message: string | null;
  url: string;
  state: CallbackState;
  attempts: number;
  next_attempt_at: string | null;
  last_status: number | null;
  last_error: string | null;
  created_at: string;
  updated_at: string;
}

export interface CallbackAttempt {
  number: number;
  at: string;
  status: number | null;
  duration_ms: number;
  error: string | null;
  answer: string | null;
}

export interface Device {
  number: string;
  connector: string;
  state: string;
  account: string;
  webhook: string | null;
  gap_ms: number;
  jitter_ms: number;
  per_day_max: number | null;
  warm_up_days: number;
  state_since: string;
  created_at: string;
  paused_since?: string | null;
}

export interface Pairing {
  number: string;
  state: string;
  method: string | null;
  payload: string | null;
  expires_at: string | null;
  reason: string | null;
}

export interface ApiKey {
  id: string;
  account: string;
  name: string;
  hint: string;
  revision: string;
  scopes?: string[];
  state: "active" | "expired" | "revoked";
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
}

export interface Status {
  version: string;
  time: string;
  accounts: number;
  devices: number;
  messages_waiting?: number;
}
