// The forms of the queries in this folder, one file for each resource. Pages read through them, and
// have no keys of their own.
import { queryOptions } from "@tanstack/react-query";
import type { Cancel } from "../api/client.ts";
import { type FetchPage, firstItems } from "../api/pages.ts";

/** What a query reads: the first word of its key, by which it is read again after a change. */
export type Subject =
  | "account"
  | "admin"
  | "attempts"
  | "callback"
  | "callbacks"
  | "campaign"
  | "campaign check"
  | "campaign names"
  | "campaign outcomes"
  | "campaign preview"
  | "campaigns"
  | "connectors"
  | "contact"
  | "contacts"
  | "device"
  | "devices"
  | "hosts"
  | "invitations"
  | "keys"
  | "ledger"
  | "log"
  | "members"
  | "message"
  | "messages"
  | "pairing"
  | "pairing-found"
  | "people"
  | "qr"
  | "recipients"
  | "session"
  | "sessions"
  | "suppressions"
  | "templates"
  | "timeline"
  | "usage";

export type Key = readonly [Subject, ...unknown[]];

/** One answer. A page that is left ends its request. */
export function answer<Answer>(queryKey: Key, read: (cancel: Cancel) => Promise<Answer>) {
  return queryOptions({ queryKey, queryFn: (context) => read(context) });
}

/** The items of a list, for choices and sums. */
export function everyItem<Item>(queryKey: Key, fetchPage: FetchPage<Item>) {
  return queryOptions({ queryKey, queryFn: (context) => firstItems(fetchPage, context) });
}

/** A list that is loaded page by page; see usePaged. */
export interface Listing<Item> {
  queryKey: Key;
  fetchPage: FetchPage<Item>;
}
