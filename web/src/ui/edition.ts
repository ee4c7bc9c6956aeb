// A form over something that others may change meanwhile: it is saved only where it still is as it
// was shown.
import { notifyManager, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Problem } from "../api/problem.ts";
import { useText } from "../texts/index.tsx";
import { useNotices } from "./problem_note.tsx";

interface EditionProps<Change> {
  save: (tag: string, change: Change) => Promise<unknown>;
  reload: () => Promise<unknown>;
  saved: string; // What is said when it is.
  onSaved?: () => void;
}

/**
 * `round` is the key of the form's component: another round shows what is stored now, which is so
 * after each save, and where somebody else was first. The form keeps the tag that it began with.
 */
export function useEdition<Change>({ save, reload, saved, onSaved }: EditionProps<Change>) {
  const t = useText();
  const notices = useNotices();
  const [round, setRound] = useState(0);
  const again = async () => {
    await reload();
    // A timer hands what was read to the components: the next form is made after that.
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
    busy: saving.isPending,
    error: isOld ? null : saving.error,
    forget: saving.reset,
  };
}

export type Edition<Change> = ReturnType<typeof useEdition<Change>>;
