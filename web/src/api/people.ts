// Signing in and out, and who may what.
import { call } from "./call.ts";
import { Problem } from "./problem.ts";
import type { Member, NewPerson, Page, Person, Role, Session, SignedIn } from "./types.ts";

const part = encodeURIComponent;

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

export const signOut = () => call("DELETE", "/v1/session");

export const listSessions = () => call<Page<SignedIn>>("GET", "/v1/sessions");

/** One of the person's sessions, or all "others". */
export const endSession = (id: string) => call("DELETE", `/v1/sessions/${part(id)}`);

export const changePassword = (body: { current?: string; password: string }) =>
  call("POST", "/v1/session/password", { body });

export const beginTotp = (current?: string) =>
  call<{ secret: string; uri: string }>("POST", "/v1/session/totp", {
    body: current ? { current } : {},
  });

export const confirmTotp = (code: string) =>
  call<{ recovery_codes: string[] }>("POST", "/v1/session/totp/confirm", { body: { code } });

export const endTotp = () => call("DELETE", "/v1/session/totp");

// --- Of an account ---

export const listMembers = (account: string) =>
  call<Page<Member>>("GET", "/v1/account/people", { query: { account } });

export const addMember = (body: { account: string; email: string; role: Role }) =>
  call<Member & { url?: string }>("POST", "/v1/account/people", { body });

export const changeMember = (account: string, email: string, role: Role) =>
  call<Member>("PATCH", `/v1/account/people/${part(email)}`, { body: { account, role } });

export const removeMember = (account: string, email: string) =>
  call("DELETE", `/v1/account/people/${part(email)}`, { query: { account } });

// --- Of the server ---

export const listPeople = () => call<Page<Person>>("GET", "/v1/admin/people");

export const createPerson = (body: NewPerson) =>
  call<Person & { password?: string }>("POST", "/v1/admin/people", { body });

export const removePerson = (id: string) => call("DELETE", `/v1/admin/people/${part(id)}`);

export const makeLink = (id: string) =>
  call<{ url: string; expires_at: string }>("POST", `/v1/admin/people/${part(id)}/link`);
