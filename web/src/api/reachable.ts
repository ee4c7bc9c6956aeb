// Whether the gateway answered the last request.
import { useSyncExternalStore } from "react";

/** Since when requests have failed to reach the gateway; undefined: the last one was answered. */
let lostSince: number | undefined;
const listeners = new Set<() => void>();

export function reached(): void {
  become(undefined);
}

export function unreached(): void {
  become(lostSince ?? Date.now());
}

function become(since: number | undefined): void {
  if (lostSince === since) return;
  lostSince = since;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useLostSince(): number | undefined {
  return useSyncExternalStore(subscribe, () => lostSince);
}
