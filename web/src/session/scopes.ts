// What a role lets its person do. The gateway decides it: here it only hides what is refused.
import type { Role } from "../api/types.ts";

export type Scope =
  | "send"
  | "messages:read"
  | "messages:manage"
  | "devices:manage"
  | "callbacks:manage"
  | "account:read"
  | "account:manage";

export const SCOPES: readonly Scope[] = [
  "send",
  "messages:read",
  "messages:manage",
  "devices:manage",
  "callbacks:manage",
  "account:read",
  "account:manage",
];

const OF_ROLE: Record<Role, readonly Scope[]> = {
  owner: SCOPES,
  operator: [
    "send",
    "messages:read",
    "messages:manage",
    "devices:manage",
    "callbacks:manage",
    "account:read",
  ],
  viewer: ["messages:read", "account:read"],
};

/** Whether somebody of this role, or an administrator of the server, may do it. */
export function may(role: Role | undefined, admin: boolean, scope: Scope): boolean {
  return admin || (role !== undefined && OF_ROLE[role].includes(scope));
}
