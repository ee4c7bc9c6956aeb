// The data of the overview and its checklist.
import { useQuery } from "@tanstack/react-query";
import {
  listCallbacks,
  listDevices,
  listHosts,
  listKeys,
  listMessages,
  readAccount,
  readUsage,
} from "../../api/operations.ts";
import { usePollInterval } from "../../live/live.tsx";
import { firstItems, pollOfAll } from "../../live/paged.ts";
import { useAccountId, useSession } from "../../session/session.tsx";
import { rangeOf } from "../usage/usage_days.ts";

// Events do not trigger a count, because counting reads the queues.
export const COUNTED_EVERY = 5000;

/** More held messages are not counted. */
const HELD_MAX = 100;

export function useOverview() {
  const account = useAccountId();
  const { can } = useSession();
  const refetchInterval = usePollInterval();
  const messages = useQuery({
    queryKey: ["messages", "overview", account],
    queryFn: (context) => listMessages({ account, limit: 8 }, context),
    refetchInterval,
  });
  const devices = useQuery({
    queryKey: ["devices", account, "counted"],
    queryFn: (context) =>
      firstItems(
        (cursor, cancel) => listDevices({ account, count: true, cursor }, cancel),
        context,
      ),
    refetchInterval: pollOfAll(COUNTED_EVERY),
  });
  const delivered = useQuery({
    queryKey: ["callbacks", "delivered", account],
    queryFn: (context) => listCallbacks({ account, state: "delivered", limit: 1 }, context),
    refetchInterval: (query) => (query.state.data?.items.length ? false : refetchInterval),
  });
  const exhausted = useQuery({
    queryKey: ["callbacks", "exhausted", account],
    queryFn: (context) => listCallbacks({ account, state: "exhausted", limit: 1 }, context),
  });
  const held = useQuery({
    queryKey: ["messages", "held", account],
    queryFn: (context) => listMessages({ account, state: "held", limit: HELD_MAX }, context),
    refetchInterval,
  });
  const hosts = useQuery({
    queryKey: ["hosts", account],
    queryFn: (context) => listHosts(account, context),
    enabled: can("callbacks:manage"),
    refetchInterval,
  });
  const keys = useQuery({
    queryKey: ["keys", account, "all"],
    queryFn: (context) =>
      firstItems((cursor, cancel) => listKeys({ account, cursor }, cancel), context),
    enabled: can("account:manage"),
  });
  const range = rangeOf(1, Date.now());
  const today = useQuery({
    queryKey: ["usage", account, "today", range.since],
    queryFn: (context) => readUsage({ account, by: "code", ...range }, context),
    refetchInterval,
  });
  const own = useQuery({
    queryKey: ["account", account],
    queryFn: (context) => readAccount(account, context),
  });
  return { account: own, today, messages, devices, held, delivered, exhausted, hosts, keys };
}

export type Overviewed = ReturnType<typeof useOverview>;
