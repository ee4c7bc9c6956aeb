// Callbacks, their attempts, and the hosts that receive them.
import {
  type CallbackQuery,
  listAttempts,
  listCallbacks,
  listHosts,
  readCallback,
} from "../api/callbacks.ts";
import type { Callback, CallbackState } from "../api/types.ts";
import { answer, type Listing } from "./query.ts";

const ROWS = 50;

export const callbacks = {
  list: (query: CallbackQuery): Listing<Callback> => ({
    queryKey: ["callbacks", query],
    fetchPage: (cursor, cancel) => listCallbacks({ ...query, limit: ROWS, cursor }, cancel),
  }),
  /** Whether there is one in this state. */
  first: (account: string, state: CallbackState) =>
    answer(["callbacks", { account, state }, "first"], (cancel) =>
      listCallbacks({ account, state, limit: 1 }, cancel),
    ),
  one: (id: string) => answer(["callback", id], (cancel) => readCallback(id, cancel)),
  /** Read again after each attempt. */
  attempts: ({ id, attempts, state }: Pick<Callback, "id" | "attempts" | "state">) =>
    answer(["attempts", id, attempts, state], (cancel) => listAttempts(id, cancel)),
  hosts: (account: string) => answer(["hosts", account], (cancel) => listHosts(account, cancel)),
};
