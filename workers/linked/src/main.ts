// The worker's entry point. It silences the console before it loads any package, and repairs
// libsignal's signature checks before it loads Baileys: see process/console.ts,
// baileys/signatures.ts.
import { silenceConsole } from "./process/console.js";
import { stopForGood, stopIfNodeIsTooOld } from "./process/exit.js";
import { limitMemory } from "./process/memory.js";

async function main(): Promise<void> {
  silenceConsole();
  limitMemory();
  stopIfNodeIsTooOld();
  try {
    const { repairSignatures } = await import("./baileys/signatures.js");
    repairSignatures();
    const { runWorker } = await import("./start.js");
    await runWorker();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") {
      stopForGood("the worker is not whole: run `npm ci && npm run build` in workers/linked");
    }
    stopForGood(`the worker cannot start: ${(error as Error).message}`);
  }
}

void main();
