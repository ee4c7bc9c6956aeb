// A state in one word, with a dot in its tone. The word says it all: the colour only helps.
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
