// The devices of the account, for choices and for names.
import { useQuery } from "@tanstack/react-query";
import { usePollInterval } from "../../live/live.tsx";
import { pollOfAll } from "../../live/paged.ts";
import { devices } from "../../queries/devices.ts";
import { useAccountId } from "../../session/session.tsx";

export function useAllDevices() {
  const interval = usePollInterval(); // No event tells of a pause, and none without a stream.
  return useQuery({ ...devices.every(useAccountId()), refetchInterval: pollOfAll(interval) });
}
