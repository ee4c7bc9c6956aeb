// The scopes of a key, in the order of the form.
import type { Scope } from "../api/types.ts";

export const SCOPES: readonly Scope[] = [
  "send",
  "messages:read",
  "messages:manage",
  "campaigns:read",
  "campaigns:manage",
  "devices:manage",
  "callbacks:manage",
  "account:read",
  "account:manage",
];
