// Shows a problem, in the reader's language if the gateway's text would not help.
import { notifications } from "@mantine/notifications";
import { Problem } from "../api/problem.ts";
import { type Texts, useText } from "../texts/index.tsx";
import type { FieldProblems } from "./field_problems.ts";
import { Icon } from "./icon.tsx";
import classes from "./notes.module.css";

/** Replaces texts that are meant for programs; other texts say what to do. */
export function problemText(error: unknown, t: Texts): string {
  if (!(error instanceof Problem)) return t.common.problem;
  if (error.status === 0) return t.common.unreachable;
  if (error.status === 403) return error.message || t.common.forbidden;
  if (error.status === 404) return t.common.notFound;
  if (error.status === 412) return t.common.changedMeanwhile;
  return error.message || t.common.problem;
}

interface ProblemNoteProps {
  error: unknown;
  fields?: FieldProblems; // What the form shows beside its fields, which come before this note.
}

export function ProblemNote({ error, fields }: ProblemNoteProps) {
  const t = useText();
  if (!error) return null;
  return (
    <div className={classes.problem} role="alert">
      <Icon name="alert" />
      <span>{fields?.areAllShown() ? t.common.checkFields : problemText(error, t)}</span>
    </div>
  );
}

/** Notices about the outcome of a change. */
export function useNotices() {
  const t = useText();
  const common = { withBorder: true, closeButtonProps: { "aria-label": t.common.close } };
  return {
    done: (message: string) => notifications.show({ message, color: "brand", ...common }),
    failed: (error: unknown) =>
      notifications.show({
        message: problemText(error, t),
        color: "red",
        ...common,
        autoClose: 8000,
      }),
  };
}
