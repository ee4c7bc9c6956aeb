// Functions that end the process.
import { writeSync } from "node:fs";

const EX_CONFIG = 78;

/// Ends the process for a reason that a restart does not remove; the exit code says so.
export function stopForGood(reason: string): never {
  say(reason);
  process.exit(EX_CONFIG);
}

/// Ends the process at once. A gateway starts its worker again.
export function stopNow(reason: string): never {
  say(reason);
  process.exit(1);
}

function say(reason: string): void {
  try {
    writeSync(2, `linked: ${reason}\n`);
  } catch {
    // Nobody reads standard error; the exit code is enough.
  }
}
