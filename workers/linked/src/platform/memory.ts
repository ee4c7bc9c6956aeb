// How eagerly the engine gives memory back.
import { setFlagsFromString } from "node:v8";

/// A worker with many devices makes much short-lived garbage. Left to itself V8 lets the heap grow
/// to several times of what is in use; with these it takes about a third of that, for less than a
/// tenth more time. Call it before anything is loaded. Engines that do not know a flag ignore it.
export function limitMemory(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=20");
}
