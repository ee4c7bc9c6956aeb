// Operations for sessions, people and the log of changes.
import { answerOf, byId, type Cancel, client, given } from "./client.ts";
import { Problem } from "./problem.ts";
import type {
  InvitationAnswer,
  NewInvitation,
  NewPerson,
  QueryOf,
  QueryOfAccount,
  Role,
  SessionView,
  SignIn,
} from "./types.ts";

/** The session; null: there is none. */
export async function readSession({ signal }: Cancel = {}): Promise<SessionView | null> {
  try {
    return await answerOf(client.GET("/v1/session", { signal }));
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return null;
    throw error;
  }
}

export const signIn = (body: SignIn) => answerOf(client.POST("/v1/session", { body }));

export const signInByLink = (token: string) =>
  answerOf(client.POST("/v1/session/link", { body: { token } }));

export const signOut = () => answerOf(client.DELETE("/v1/session"));

export const listSessions = ({ signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/sessions", { signal }));

export const endSession = (id: string) => answerOf(client.DELETE("/v1/sessions/{id}", byId(id)));

export const changePassword = (body: { current?: string; password: string }) =>
  answerOf(client.POST("/v1/session/password", { body }));

export const beginTotp = (current?: string) =>
  answerOf(client.POST("/v1/session/totp", { body: current ? { current } : {} }));

export const confirmTotp = (code: string) =>
  answerOf(client.POST("/v1/session/totp/confirm", { body: { code } }));

export const endTotp = () => answerOf(client.DELETE("/v1/session/totp"));

// --- Members of an account ---

export const listMembers = (query: QueryOfAccount<"/v1/account/people">, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/account/people", { params: { query: given(query) }, signal }));

export const changeMember = (account: string, email: string, role: Role) =>
  answerOf(
    client.PATCH("/v1/account/people/{email}", {
      params: { path: { email } },
      body: { account, role },
    }),
  );

export const removeMember = (account: string, email: string) =>
  answerOf(
    client.DELETE("/v1/account/people/{email}", {
      params: { path: { email }, query: { account } },
    }),
  );

// --- Invitations ---

export const listInvitations = (account: string, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/account/invitations", { params: { query: { account } }, signal }));

export const invite = (body: NewInvitation) =>
  answerOf(client.POST("/v1/account/invitations", { body }));

export const revokeInvitation = (id: string) =>
  answerOf(client.DELETE("/v1/account/invitations/{id}", byId(id)));

/** What the invitation offers; changes nothing. */
export const showInvitation = (token: string, { signal }: Cancel = {}) =>
  answerOf(client.POST("/v1/invitation", { body: { token }, signal }));

/** Signs in as the invited person, who may be new. */
export const acceptInvitation = (body: InvitationAnswer) =>
  answerOf(client.POST("/v1/invitation/accept", { body }));

// --- People of the server ---

export const listPeople = (query: QueryOf<"/v1/admin/people">, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/admin/people", { params: { query: given(query) }, signal }));

export const createPerson = (body: NewPerson) =>
  answerOf(client.POST("/v1/admin/people", { body }));

/** For a person who has lost the device that makes the codes. */
export const removeSecondStep = (id: string) =>
  answerOf(client.PATCH("/v1/admin/people/{id}", { ...byId(id), body: { totp: false } }));

export const removePerson = (id: string) =>
  answerOf(client.DELETE("/v1/admin/people/{id}", byId(id)));

export const makeLink = (id: string) =>
  answerOf(client.POST("/v1/admin/people/{id}/link", byId(id)));
