// A cache of uploaded files, so that a campaign uploads its picture once.
import type { CacheStore } from "baileys";
import type { Clock } from "../clock.js";

const KEPT_MAX = 128;
const KEPT_MS = 6 * 3_600_000; // The platform keeps files for weeks.

/// Baileys' upload cache. Baileys looks up by kind and address. The address ends in the content's
/// hash (sending/content.ts); the entry's name is the kind and that hash.
export function uploadCache(clock: Clock): CacheStore {
  const kept = new Map<string, { value: unknown; until: number }>();
  const name = (key: string): string => {
    const hash = key.lastIndexOf("#");
    const kind = key.slice(0, key.indexOf(":"));
    return hash < 0 ? key : `${kind}${key.slice(hash)}`;
  };
  return {
    get<T>(key: string): T | undefined {
      const entry = kept.get(name(key));
      return entry && entry.until > clock.now() ? (entry.value as T) : undefined;
    },
    set(key, value) {
      kept.delete(name(key));
      kept.set(name(key), { value, until: clock.now() + KEPT_MS });
      if (kept.size > KEPT_MAX) {
        const [oldest] = kept.keys();
        kept.delete(oldest!);
      }
    },
    del(key) {
      kept.delete(name(key));
    },
    flushAll() {
      kept.clear();
    },
  };
}
