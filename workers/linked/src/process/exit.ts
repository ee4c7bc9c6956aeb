// Functions that end the process.
import { writeSync } from "node:fs";

const EX_CONFIG = 78;
const NODE_MIN = [20, 19] as const;

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

export function stopIfNodeIsTooOld(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1])) {
    stopForGood(
      `Node ${NODE_MIN.join(".")} or newer is needed, this is ${process.versions.node}`,
    );
  }
}

function say(reason: string): void {
  try {
    writeSync(2, `linked: ${reason}\n`);
  } catch {
    // Nobody reads standard error; the exit code is enough.
  }
}
