// The server, for administrators.
import { listLog, listNodes, readReadiness, readStatus } from "../api/server.ts";
import type { LogEntry } from "../api/types.ts";
import { answer, type Listing } from "./query.ts";

const ENTRIES = 25;

export const server = {
  status: () => answer(["admin", "status"], readStatus),
  readiness: () => answer(["admin", "ready"], readReadiness),
  nodes: () => answer(["admin", "nodes"], listNodes),
  /** The log of changes of an account; empty: of all. */
  log: (account: string): Listing<LogEntry> => ({
    queryKey: ["log", account],
    fetchPage: (cursor, cancel) =>
      listLog({ limit: ENTRIES, cursor, ...(account && { account }) }, cancel),
  }),
};
