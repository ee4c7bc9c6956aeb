// A state in one word, with a coloured dot. The word is enough: the colour adds no information.
import classes from "./state.module.css";

export type Tone = "good" | "warn" | "bad" | "busy" | "calm";

export function State({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={classes.state} data-tone={tone}>
      <span className={classes.dot} />
      {children}
    </span>
  );
}
