// A form for data that others may change meanwhile: it is saved only if the data are still as
// shown.
import { notifyManager, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Problem } from "../api/problem.ts";
import { useText } from "../texts/index.tsx";
import { useNotices } from "./problem_note.tsx";

interface EditionProps<Change> {
  save: (tag: string, change: Change) => Promise<unknown>;
  reload: () => Promise<unknown>;
  saved: string; // The notice after saving.
  onSaved?: () => void;
}

/**
 * `round` is the key of the form's component. A new round, after each save and after a conflict,
 * shows the stored data. The form keeps the tag with which it began.
 */
export function useEdition<Change>({ save, reload, saved, onSaved }: EditionProps<Change>) {
  const t = useText();
  const notices = useNotices();
  const [round, setRound] = useState(0);
  const again = async () => {
    await reload();
    // The library passes new data to components by a timer; the new form must come after that.
    notifyManager.schedule(() => setRound((present) => present + 1));
  };
  const saving = useMutation({
    mutationFn: ({ tag, change }: { tag: string; change: Change }) => save(tag, change),
    onSuccess: async () => {
      notices.done(saved);
      await again();
      onSaved?.();
    },
    onError: async (error) => {
      if (!(error instanceof Problem) || error.status !== 412) return;
      notices.failed(new Problem(412, error.code, t.common.changedMeanwhile));
      await again();
    },
  });
  const isOld = saving.error instanceof Problem && saving.error.status === 412;
  return {
    round,
    save: saving.mutate,
    saved: saving.mutateAsync, // The same, for dialogs, which show the error themselves.
    busy: saving.isPending,
    error: isOld ? null : saving.error,
    forget: saving.reset,
  };
}

export type Edition<Change> = ReturnType<typeof useEdition<Change>>;
