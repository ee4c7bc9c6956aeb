// How eagerly the engine gives memory back.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../clock.js";

/// Of what is loaded, most is never run: it is compiled when it is. Left to itself V8 also lets the
/// heap grow to several times of what is in use. Call it before any package is loaded. Engines
/// that do not know a flag ignore it.
export function limitMemory(): void {
  setFlagsFromString("--max-lazy");
  setFlagsFromString("--heap-growing-percent=30");
}

const EVERY_MS = 5_000;
const AGAIN_MS = 500;
const GROWN_BYTES_MIN = 12 * 1024 * 1024;
// Of the processor, in the time between two looks: from there on there was work.
const BUSY_MS_MIN = 250;

/// What the process has taken so far.
export interface Usage {
  residentBytes: number;
  processorMs: number;
}

/// Gives back what bursts of messages left behind: the engine by itself keeps it for the next one.
///
/// Operation: looks every five seconds, and collects everything when the process has grown, or when
/// its work has just ended. Twice, for pages that the first time empties are free only then;
/// each takes a twentieth of a second with a hundred devices.
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

  start(): void {
    this.clock.after(EVERY_MS, () => {
      if (!this.isDue()) {
        this.start();
        return;
      }
      this.collect();
      this.clock.after(AGAIN_MS, () => {
        this.collect();
        this.last = this.usage();
        this.start();
      });
    });
  }

  private isDue(): boolean {
    const now = this.usage();
    const busy = now.processorMs - this.last.processorMs >= BUSY_MS_MIN;
    const grown = now.residentBytes - this.last.residentBytes >= GROWN_BYTES_MIN;
    const due = grown || (this.worked && !busy);
    this.worked = busy;
    // What it grows by slowly counts too.
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
