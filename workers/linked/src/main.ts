// The worker's entry point. It silences the console before it loads any package, and repairs
// libsignal's signature checks before it loads Baileys: see platform/console.ts,
// platform/signatures.ts.
import { silenceConsole } from "./platform/console.js";
import { stopForGood } from "./platform/exit.js";
import { limitMemory } from "./platform/memory.js";
import { nodeTooOld } from "./platform/node.js";

async function main(): Promise<void> {
  silenceConsole();
  limitMemory();
  const tooOld = nodeTooOld();
  if (tooOld) {
    stopForGood(tooOld);
  }
  try {
    const { repairSignatures } = await import("./platform/signatures.js");
    repairSignatures();
    const { runWorker } = await import("./worker.js");
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
