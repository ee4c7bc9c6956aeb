// A bar that shows a part of a whole; what it shows is also said in words beside it.
import classes from "./bar.module.css";

interface BarProps {
  label: string;
  value: number | undefined; // Undefined: it is not known.
  max: number;
}

export function Bar({ label, value, max }: BarProps) {
  return (
    <progress className={classes.bar} aria-label={label} value={value} max={Math.max(max, 1)} />
  );
}
