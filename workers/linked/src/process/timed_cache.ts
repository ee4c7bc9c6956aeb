// A cache in memory. It has the methods that Baileys calls of the caches that it is given.
import type { Clock } from "./clock.js";

export interface CacheLimits {
  entriesMax: number;
  /// How long an entry is kept.
  ms: number;
  /// The name under which a key's entry is kept.
  nameOf?: (key: string) => string;
}

/// Limits: beyond `entriesMax` the entry that was set first is dropped.
export class TimedCache {
  private readonly entries = new Map<string, { value: unknown; until: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly limits: CacheLimits,
  ) {}

  get<T>(key: string): T | undefined {
    const entry = this.entries.get(this.nameOf(key));
    return entry && entry.until > this.clock.now() ? (entry.value as T) : undefined;
  }

  set<T>(key: string, value: T, ms = this.limits.ms): void {
    const name = this.nameOf(key);
    this.entries.delete(name);
    this.entries.set(name, { value, until: this.clock.now() + ms });
    if (this.entries.size > this.limits.entriesMax) {
      const [oldest] = this.entries.keys();
      this.entries.delete(oldest!);
    }
  }

  del(key: string): void {
    this.entries.delete(this.nameOf(key));
  }

  flushAll(): void {
    this.entries.clear();
  }

  private nameOf(key: string): string {
    return this.limits.nameOf?.(key) ?? key;
  }
}
