// Accounts, their keys, credit and usage.
import {
  listAccounts,
  listKeys,
  listLedger,
  readAccount,
  readAccountAsAdmin,
  readUsage,
  type UsageQuery,
} from "../api/accounts.ts";
import { PAGE } from "../api/pages.ts";
import type { Account, ApiKey, LedgerEntry } from "../api/types.ts";
import { answer, everyItem, type Listing } from "./query.ts";

const ENTRIES = 20;

export const accounts = {
  own: (account: string) => answer(["account", account], (cancel) => readAccount(account, cancel)),
  ledger: (account: string): Listing<LedgerEntry> => ({
    queryKey: ["ledger", account],
    fetchPage: (cursor, cancel) => listLedger({ account, limit: ENTRIES, cursor }, cancel),
  }),
  /** Counted usage; the same of several pages is read once. */
  usage: (query: UsageQuery) => answer(["usage", query], (cancel) => readUsage(query, cancel)),
};

export const keys = {
  list: (account: string): Listing<ApiKey> => ({
    queryKey: ["keys", account],
    fetchPage: (cursor, cancel) => listKeys({ account, limit: PAGE, cursor }, cancel),
  }),
  every: (account: string) =>
    everyItem<ApiKey>(["keys", account, "all"], (cursor, cancel) =>
      listKeys({ account, cursor }, cancel),
    ),
};

/** All accounts of the server, for administrators. */
export const allAccounts = {
  list: (): Listing<Account> => ({
    queryKey: ["admin", "accounts", "paged"],
    fetchPage: (cursor, cancel) => listAccounts({ limit: PAGE, cursor }, cancel),
  }),
  first: () =>
    answer(["admin", "accounts", "first"], (cancel) => listAccounts({ limit: PAGE }, cancel)),
  every: () =>
    everyItem<Account>(["admin", "accounts", "all"], (cursor, cancel) =>
      listAccounts({ cursor }, cancel),
    ),
  /** For a form. */
  one: (id: string) => answer(["admin", "account", id], (cancel) => readAccountAsAdmin(id, cancel)),
  /** For the pages of the chosen account. */
  chosen: (id: string) =>
    answer(["admin", "account", "chosen", id], (cancel) => readAccountAsAdmin(id, cancel)),
};
