// What the operations of the catalogue take and answer.
import type { components } from "../../build/schema.d.ts";

type Schemas = components["schemas"];

export type Account = Schemas["Account"];
export type OwnAccountChange = Schemas["OwnAccountChange"];
export type ApiKey = Schemas["Key"];
export type Callback = Schemas["Callback"];
export type CallbackAttempt = Schemas["CallbackAttempt"];
export type CallbackHost = Schemas["CallbackHost"];
export type CallbacksToReplay = Schemas["CallbacksToReplay"];
export type CallbackTest = Schemas["CallbackTest"];
export type CallbackState = Schemas["CallbackState"];
export type Device = Schemas["Device"];
export type DeviceChange = Schemas["DeviceChange"];
export type Message = Schemas["Message"];
export type MessageDetail = Schemas["MessageDetails"];
export type MessageState = Schemas["MessageState"];
export type NewAccount = Schemas["NewAccount"];
export type Plan = Schemas["Account"]["plan"];
export type NewDevice = Schemas["NewDevice"];
export type NewKey = Schemas["NewKey"];
export type Pairing = Schemas["Pairing"];
export type PairingWish = Schemas["PairingWish"];
export type TimelineStep = Schemas["TimelineStep"];
export type WaitReason = Schemas["WaitReason"];
export type Scope = Schemas["Scope"];

export interface Page<Item> {
  items: Item[];
  next: string | null;
}

export type Role = "owner" | "operator" | "viewer";

export interface Session {
  person: { id: string; email: string; admin: boolean; has_password: boolean; totp: boolean };
  memberships: { account: string; name: string; role: Role; scopes: Scope[]; since: string }[];
  session: { id: string; by: string; created_at: string; expires_at: string };
}

export interface SignedIn {
  id: string;
  current: boolean;
  by: string;
  address: string;
  agent: string;
  created_at: string;
  seen_at: string;
}

export interface Member {
  email: string;
  account: string;
  role: Role;
  since: string;
}

export interface Person {
  id: string;
  email: string;
  admin: boolean;
  has_password: boolean;
  totp: boolean;
  memberships: { account: string; role: Role; since: string }[];
  created_at: string;
}

export interface NewPerson {
  email: string;
  admin?: boolean;
  account?: string;
  role?: Role;
}
