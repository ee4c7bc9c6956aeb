// The worker's entrance. Nothing but Node's own modules is imported before the console is silent
// and the signature checks of libsignal are repaired: see platform/console.ts,
// platform/signatures.ts.
import { silenceConsole } from "./platform/console.js";
import { stopForGood } from "./platform/exit.js";
import { limitMemory } from "./platform/memory.js";
import { nodeTooOld } from "./platform/node.js";
import { repairSignatures } from "./platform/signatures.js";

async function main(): Promise<void> {
  silenceConsole();
  limitMemory();
  const tooOld = nodeTooOld();
  if (tooOld) {
    stopForGood(tooOld);
  }
  try {
    repairSignatures();
    const { runWorker } = await import("./worker.js");
    await runWorker();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") {
      stopForGood("the worker's packages are missing: run `npm ci --omit=dev` in workers/linked");
    }
    stopForGood(`the worker cannot start: ${(error as Error).message}`);
  }
}

void main();
