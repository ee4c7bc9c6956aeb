// Says that shown data could not be read again, and from when they are.
import { Problem } from "../api/problem.ts";
import { useWords } from "../texts/index.tsx";
import { Note } from "./notes.tsx";
import { problemText } from "./problem_note.tsx";

interface StaleProps {
  error: unknown; // Of the latest request; null: the data are new.
  since?: number | undefined; // When they were read, in milliseconds.
}

export function Stale({ error, since }: StaleProps) {
  const { t, format } = useWords();
  // If nothing answers, the frame of all pages says so.
  if (!error || (error instanceof Problem && error.status === 0)) return null;
  const when = since ? format.clock(new Date(since).toISOString()) : "";
  return (
    <Note>
      {t.common.stale(when)} {problemText(error, t)}
    </Note>
  );
}
