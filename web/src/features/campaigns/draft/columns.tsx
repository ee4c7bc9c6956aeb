// The columns of the audience, and what else texts may name: each inserts its placeholder.
import { useText } from "../../../texts/index.tsx";
import classes from "./draft.module.css";

const ALWAYS = ["number", "optout_url"];

interface ColumnsProps {
  columns: readonly string[];
  onInsert: (placeholder: string) => void;
}

export function Columns({ columns, onInsert }: ColumnsProps) {
  const t = useText().draft;
  const names = [...columns.filter((one) => !ALWAYS.includes(one.toLowerCase())), ...ALWAYS];
  return (
    <fieldset className={classes.insert}>
      <legend>{t.insert}</legend>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          className={classes.chip}
          aria-label={t.insertOf(name)}
          // The text keeps its caret.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onInsert(`{{${name}}}`)}
        >
          {name}
        </button>
      ))}
      {columns.length === 0 && <p className={classes.hint}>{t.noColumns}</p>}
    </fieldset>
  );
}
