// Contacts, and numbers that campaigns must not reach.
import {
  type ContactQuery,
  listContacts,
  listSuppressions,
  readContact,
  type SuppressionQuery,
} from "../api/contacts.ts";
import type { Contact, Suppression } from "../api/types.ts";
import { answer, type Listing } from "./query.ts";

const ROWS = 50;

export const contacts = {
  list: (query: ContactQuery): Listing<Contact> => ({
    queryKey: ["contacts", query],
    fetchPage: (cursor, cancel) => listContacts({ ...query, limit: ROWS, cursor }, cancel),
  }),
  latest: (account: string, limit: number) =>
    answer(["contacts", { account }, "latest", limit], (cancel) =>
      listContacts({ account, limit }, cancel),
    ),
  one: (account: string, number: string) =>
    answer(["contact", account, number], (cancel) => readContact(account, number, cancel)),
};

export const suppressions = {
  list: (query: SuppressionQuery): Listing<Suppression> => ({
    queryKey: ["suppressions", query],
    fetchPage: (cursor, cancel) => listSuppressions({ ...query, limit: ROWS, cursor }, cancel),
  }),
};
