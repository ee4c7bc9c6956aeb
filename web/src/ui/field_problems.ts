// What the gateway says about single fields of a refused form.
import { Problem } from "../api/problem.ts";

/** The problem of a field, by its name in the API; undefined: none. */
export type ProblemOf = (field: string) => string | undefined;

export interface FieldProblems {
  of: ProblemOf;
  /** Whether the form has shown all that the gateway said, beside its fields. */
  areAllShown: () => boolean;
}

export function fieldProblems(error: unknown): FieldProblems {
  const problems = error instanceof Problem ? error.fields : [];
  const shown = new Set<string>();
  return {
    of: (field) => {
      shown.add(field);
      return problems.find((one) => one.field === field)?.message;
    },
    areAllShown: () => problems.length > 0 && problems.every(({ field }) => shown.has(field)),
  };
}
