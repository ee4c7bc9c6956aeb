// People: who is signed in, the members of an account, and all people of the server.

import { PAGE } from "../api/pages.ts";
import {
  listInvitations,
  listMembers,
  listPeople,
  listSessions,
  showInvitation,
} from "../api/people.ts";
import type { Member, Person } from "../api/types.ts";
import { answer, type Key, type Listing } from "./query.ts";

/** The session; see useWhoIsThere. */
export const SESSION = ["session"] as const satisfies Key;

export const people = {
  list: (): Listing<Person> => ({
    queryKey: ["people"],
    fetchPage: (cursor, cancel) => listPeople({ limit: PAGE, cursor }, cancel),
  }),
  /** The sessions of the person. */
  sessions: () => answer(["sessions"], listSessions),
  members: (account: string): Listing<Member> => ({
    queryKey: ["members", account],
    fetchPage: (cursor, cancel) => listMembers({ account, limit: PAGE, cursor }, cancel),
  }),
  invitations: (account: string) =>
    answer(["invitations", account], (cancel) => listInvitations(account, cancel)),
  /** What an invitation offers. Like the session, it does not end with the person's data. */
  offer: (token: string) =>
    answer(["session", "invitation", token], (cancel) => showInvitation(token, cancel)),
};
