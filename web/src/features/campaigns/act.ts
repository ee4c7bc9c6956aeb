// Acts on a campaign, and shows what has become of it.
import { useState } from "react";
import { useNotices } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";

export function useAct() {
  const notices = useNotices();
  const refresh = useRefresh("campaign", "campaigns", "recipients", "campaign outcomes");
  const [busy, setBusy] = useState(false);
  const done = async (notice: string) => {
    notices.done(notice);
    await refresh();
  };
  /** Runs the act; says that it is done, or why not. */
  const act = async (run: () => Promise<unknown>, notice: string) => {
    if (busy) return; // The second click of two on an item of a menu, which is just closing.
    setBusy(true);
    try {
      await run();
      await done(notice);
    } catch (error) {
      notices.failed(error);
      await refresh();
    } finally {
      setBusy(false);
    }
  };
  return { busy, act, done };
}
