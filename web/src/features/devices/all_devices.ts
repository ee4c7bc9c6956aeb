// The devices of the account, for choices and for names.
import { useQuery } from "@tanstack/react-query";
import { listDevices } from "../../api/operations.ts";
import { firstItems } from "../../live/paged.ts";
import { useAccountId } from "../../session/session.tsx";

export function useAllDevices() {
  const account = useAccountId();
  return useQuery({
    queryKey: ["devices", account, "all"],
    queryFn: (context) =>
      firstItems((cursor, cancel) => listDevices({ account, cursor }, cancel), context),
  });
}
