// The devices of the account, for choices and for names.
import { useQuery } from "@tanstack/react-query";
import { devices } from "../../queries/devices.ts";
import { useAccountId } from "../../session/session.tsx";

export function useAllDevices() {
  return useQuery(devices.every(useAccountId()));
}
