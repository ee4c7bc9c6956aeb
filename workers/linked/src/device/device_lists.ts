// A cache of the contacts' device lists.
import type { CacheStore } from "baileys";

const KEPT_MAX = 5_000;
const KEPT_MS = 5 * 60_000;

/// Baileys gets this cache, so that the worker can empty it when the platform says that a list is
/// out of date.
export class DeviceLists implements CacheStore {
  private readonly kept = new Map<string, { value: unknown; until: number }>();

  constructor(private readonly now: () => number = Date.now) {}

  get<T>(key: string): T | undefined {
    const entry = this.kept.get(key);
    return entry && entry.until > this.now() ? (entry.value as T) : undefined;
  }

  set<T>(key: string, value: T): void {
    this.kept.delete(key);
    this.kept.set(key, { value, until: this.now() + KEPT_MS });
    if (this.kept.size > KEPT_MAX) {
      const [oldest] = this.kept.keys();
      this.kept.delete(oldest!);
    }
  }

  del(key: string): void {
    this.kept.delete(key);
  }

  flushAll(): void {
    this.kept.clear();
  }
}
