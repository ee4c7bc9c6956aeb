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
} from "../api/operations.ts";
import { usePollInterval } from "../live/live.tsx";
import { useAccountId, useSession } from "../session/session.tsx";
import { everyItem } from "../ui/paged.ts";
import { rangeOf } from "./usage_days.ts";

const COUNTED_EVERY = 5000; // Events do not trigger a count, because counting reads the queues.

export function useOverview() {
  const account = useAccountId();
  const { can } = useSession();
  const refetchInterval = usePollInterval();
  const messages = useQuery({
    queryKey: ["messages", "overview", account],
    queryFn: () => listMessages({ account, limit: 8 }),
    refetchInterval,
  });
  const devices = useQuery({
    queryKey: ["devices", account, "counted"],
    queryFn: () => everyItem((cursor) => listDevices({ account, count: true, cursor })),
    refetchInterval: COUNTED_EVERY,
  });
  const delivered = useQuery({
    queryKey: ["callbacks", "delivered", account],
    queryFn: () => listCallbacks({ account, state: "delivered", limit: 1 }),
    refetchInterval: (query) => (query.state.data?.items.length ? false : refetchInterval),
  });
  const exhausted = useQuery({
    queryKey: ["callbacks", "exhausted", account],
    queryFn: () => listCallbacks({ account, state: "exhausted", limit: 1 }),
  });
  const hosts = useQuery({
    queryKey: ["hosts", account],
    queryFn: () => listHosts(account),
    enabled: can("callbacks:manage"),
    refetchInterval,
  });
  const keys = useQuery({
    queryKey: ["keys", account, "all"],
    queryFn: () => everyItem((cursor) => listKeys({ account, cursor })),
    enabled: can("account:manage"),
  });
  const range = rangeOf(1, Date.now());
  const today = useQuery({
    queryKey: ["usage", account, "today", range.since],
    queryFn: () => readUsage({ account, by: "code", ...range }),
    refetchInterval,
  });
  const own = useQuery({ queryKey: ["account", account], queryFn: () => readAccount(account) });
  return { account: own, today, messages, devices, delivered, exhausted, hosts, keys };
}

export type Overviewed = ReturnType<typeof useOverview>;
