// Makes the engine return memory to the system.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "./clock.js";

/// Compiles functions only when they run, because most loaded code never does. Keeps the heap close
/// to what is in use; by default V8 lets it grow to a multiple. Call it before any package is
/// loaded. Engines that do not know a flag ignore it.
export function limitMemory(): void {
  setFlagsFromString("--max-lazy");
  setFlagsFromString("--heap-growing-percent=30");
}

const EVERY_MS = 5_000;
const AGAIN_MS = 500;
// A collection stops all devices. It takes at most this share of the time.
const COLLECTING_SHARE = 0.01;
const GROWN_BYTES_MIN = 12 * 1024 * 1024;
// Processor time between two checks from which the process counts as busy.
const BUSY_MS_MIN = 250;

/// Memory and processor time of the process.
export interface Usage {
  residentBytes: number;
  processorMs: number;
}

/// Frees memory after bursts of messages, which the engine would otherwise keep.
///
/// Operation: checks every five seconds, and runs a full collection if the process has grown or has
/// just become idle. Runs a second one half a second later, which releases the pages that the first
/// one emptied. Each takes about 50 ms with a hundred devices; the next check waits until both have
/// taken no more than a hundredth of the time.
export class MemoryTrimmer {
  private last: Usage;
  private worked = false;

  constructor(
    private readonly clock: Clock,
    private readonly usage: () => Usage = processUsage,
    private readonly collect: () => void = collector(),
  ) {
    this.last = usage();
  }

  start(pauseMs = EVERY_MS): void {
    this.clock.after(pauseMs, () => {
      if (!this.isDue()) {
        this.start();
        return;
      }
      const first = this.timedCollect();
      this.clock.after(AGAIN_MS, () => {
        const taken = first + this.timedCollect();
        this.last = this.usage();
        this.start(Math.max(EVERY_MS, taken / COLLECTING_SHARE));
      });
    });
  }

  /// Returns how many milliseconds it took.
  private timedCollect(): number {
    const before = this.clock.now();
    this.collect();
    return Math.max(0, this.clock.now() - before);
  }

  private isDue(): boolean {
    const now = this.usage();
    const busy = now.processorMs - this.last.processorMs >= BUSY_MS_MIN;
    const grown = now.residentBytes - this.last.residentBytes >= GROWN_BYTES_MIN;
    const due = grown || (this.worked && !busy);
    this.worked = busy;
    // The lowest size since the last collection, so that slow growth counts too.
    this.last = { ...now, residentBytes: Math.min(now.residentBytes, this.last.residentBytes) };
    return due;
  }
}

function processUsage(): Usage {
  const { user, system } = process.cpuUsage();
  return { residentBytes: process.memoryUsage.rss(), processorMs: (user + system) / 1_000 };
}

function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
