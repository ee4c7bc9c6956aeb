// Gateways on machines whose time of day is wrong.
import { preloaded } from "./preloaded.ts";

/** The environment of a gateway whose clock is ahead by so many seconds; negative: behind. */
export const clockAhead = (seconds: number): Record<string, string> => ({
  ...preloaded("wrong_clock"),
  CLOCK_AHEAD: `${seconds}`,
});
