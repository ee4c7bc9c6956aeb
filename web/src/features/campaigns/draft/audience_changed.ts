import { useRefresh } from "../../../ui/refresh.ts";

/** Reads again what depends on the audience. */
export function useAudienceChanged(): () => Promise<void> {
  return useRefresh(
    "campaign",
    "campaigns",
    "campaign check",
    "campaign outcomes",
    "campaign preview",
    "recipients",
  );
}
