// A row of figures with their labels.
import type { ReactNode } from "react";
import { useWords } from "../texts/index.tsx";
import classes from "./figures.module.css";

export interface FigureShown {
  name: string;
  value: number | string | null | undefined; // Null: not counted. Undefined: not known yet.
  note?: ReactNode; // Its parts, or what is wrong with it.
  bad?: boolean;
}

export function Figures({ figures }: { figures: FigureShown[] }) {
  const { t, format } = useWords();
  const shown = (value: FigureShown["value"]) => {
    if (value === undefined) return "…";
    if (value === null) return <span className={classes.words}>{t.common.unlimited}</span>;
    return typeof value === "number" ? format.number(value) : value;
  };
  return (
    <dl className={classes.figures}>
      {figures.map(({ name, value, note, bad }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={classes.value} data-bad={bad || undefined}>
            {shown(value)}
          </dd>
          {note && <dd className={classes.note}>{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
