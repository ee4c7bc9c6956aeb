// A form for data that others may change meanwhile: it is saved only if the data are still as they
// were when the form began.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { saveOrRead } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import { useNotices } from "./problem_note.tsx";

interface EditedProps<Stored, Draft> {
  stored: Stored; // As the form begins with it; later ones do not change the form.
  draftOf: (stored: Stored) => Draft;
  save: (draft: Draft, base: Stored) => Promise<Stored>;
  read: (draft: Draft) => Promise<Stored>;
  /**
   * What the form holds after somebody else's change, and what it says of it. Without it, the form
   * shows what is stored, and what was typed is lost.
   */
  merge?: (mine: Draft, base: Stored, present: Stored) => { draft: Draft; problem: Problem };
  refresh: () => Promise<unknown>; // Reads again what shows the data.
  saved: string; // The notice after saving.
}

/** The form's fields, and how they are saved. `Stored` may be undefined: there is nothing yet. */
export function useEdited<Stored, Draft>({
  stored,
  draftOf,
  merge,
  ...props
}: EditedProps<Stored, Draft>) {
  const notices = useNotices();
  const begun = (base: Stored) => ({ base, draft: draftOf(base) });
  const [form, setForm] = useState(() => begun(stored));
  const { base, draft } = form;
  const saving = useMutation({
    mutationFn: async () => {
      const { present, conflict } = await saveOrRead(
        () => props.save(draft, base),
        () => props.read(draft),
      );
      if (!conflict) return present;
      await props.refresh();
      const merged = merge?.(draft, base, present);
      setForm(merged ? { base: present, draft: merged.draft } : begun(present));
      throw merged?.problem ?? conflict;
    },
    onSuccess: async () => {
      notices.done(props.saved);
      await props.refresh();
    },
  });
  return {
    base,
    draft,
    set: (part: Partial<Draft>) =>
      setForm((present) => ({ ...present, draft: { ...present.draft, ...part } })),
    /** For a form that stays: it then shows what is stored, and what was typed meanwhile. */
    save: () =>
      saving.mutate(undefined, {
        onSuccess: (present) =>
          setForm((now) => (now.draft === draft ? begun(present) : { ...now, base: present })),
      }),
    /** For a dialog, which closes then, and shows errors itself. */
    saveAndClose: () => saving.mutateAsync(),
    busy: saving.isPending,
    error: saving.error,
  };
}
