// Whether the page follows changes at once, by polling, or not at all.
import { useLostSince } from "../api/reachable.ts";
import { useIsLive } from "../live/live.tsx";
import { useText, useWords } from "../texts/index.tsx";
import { Note } from "../ui/notes.tsx";
import { State } from "../ui/state.tsx";
import classes from "./shell.module.css";

export function LiveMark() {
  const t = useText().shell;
  const live = useIsLive();
  const lost = useLostSince() !== undefined;
  const [tone, text] = lost
    ? (["bad", t.lost] as const)
    : live
      ? (["good", t.live] as const)
      : (["calm", t.polling] as const);
  return (
    <div className={classes.live}>
      <State tone={tone}>{text}</State>
    </div>
  );
}

/** Above the page, while nothing answers. */
export function LostNote() {
  const { t, format } = useWords();
  const since = useLostSince();
  return (
    <div role="status" className={since === undefined ? undefined : classes.lost}>
      {since !== undefined && (
        <Note>{t.shell.lostNote(format.clock(new Date(since).toISOString()))}</Note>
      )}
    </div>
  );
}
