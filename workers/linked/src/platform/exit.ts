// How the worker ends by itself.
import { writeSync } from "node:fs";

const EX_CONFIG = 78;

/// Ends the process with a reason that `merpati doctor` shows: starting again does not help.
export function stopForGood(reason: string): never {
  say(reason);
  process.exit(EX_CONFIG);
}

/// Ends the process at once; the gateway, where there is one, starts it again.
export function stopNow(reason: string): never {
  say(reason);
  process.exit(1);
}

function say(reason: string): void {
  try {
    writeSync(2, `linked: ${reason}\n`);
  } catch {
    // Nobody reads standard error; the exit code still says it.
  }
}
