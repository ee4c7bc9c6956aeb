// The data of the overview and its checklist.
import { useQuery } from "@tanstack/react-query";
import { usePollInterval } from "../../live/live.tsx";
import { pollOfAll } from "../../live/paged.ts";
import { accounts, keys as keyQueries } from "../../queries/accounts.ts";
import { callbacks } from "../../queries/callbacks.ts";
import { devices as deviceQueries } from "../../queries/devices.ts";
import { messages as messageQueries } from "../../queries/messages.ts";
import { useAccountId, useSession } from "../../session/session.tsx";
import { rangeOf } from "../usage/usage_days.ts";

// Events do not trigger a count, because counting reads the queues.
export const COUNTED_EVERY = 5000;

export function useOverview() {
  const account = useAccountId();
  const { can } = useSession();
  const refetchInterval = usePollInterval();
  const messages = useQuery({ ...messageQueries.latest(account), refetchInterval });
  const devices = useQuery({
    ...deviceQueries.counted(account),
    refetchInterval: pollOfAll(COUNTED_EVERY),
  });
  const delivered = useQuery({
    ...callbacks.first(account, "delivered"),
    refetchInterval: (query) => (query.state.data?.items.length ? false : refetchInterval),
  });
  const exhausted = useQuery({ ...callbacks.first(account, "exhausted"), refetchInterval });
  const held = useQuery({ ...messageQueries.held(account), refetchInterval });
  const hosts = useQuery({
    ...callbacks.hosts(account),
    enabled: can("callbacks:manage"),
    refetchInterval,
  });
  const keys = useQuery({ ...keyQueries.every(account), enabled: can("account:manage") });
  const range = rangeOf(1, Date.now());
  const today = useQuery({
    ...accounts.usage({ account, by: "code", ...range }),
    refetchInterval,
  });
  const own = useQuery({ ...accounts.own(account), refetchInterval });
  return { account: own, today, messages, devices, held, delivered, exhausted, hosts, keys };
}

export type Overviewed = ReturnType<typeof useOverview>;
