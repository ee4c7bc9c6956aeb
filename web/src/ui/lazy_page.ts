// A page whose code is loaded when it is opened. Without a network it waits. If the gateway answers
// but the code cannot be loaded, the app is from an earlier build, and reloads itself.
import { type ComponentType, lazy } from "react";

const AGAIN_AFTER = 2000;
const STARTED_ANEW = "merpati.started-anew"; // The time of the last reload.
const NOT_AGAIN_FOR = 60_000;

type Loaded = { default: ComponentType };

export function lazyPage(load: () => Promise<Loaded>) {
  return lazy(() => patiently(load));
}

async function patiently(load: () => Promise<Loaded>): Promise<Loaded> {
  for (;;) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
    }
    try {
      return await load();
    } catch (error) {
      if (!(await isReachable())) continue;
      const last = Number(sessionStorage.getItem(STARTED_ANEW));
      if (Date.now() - last < NOT_AGAIN_FOR) throw error;
      sessionStorage.setItem(STARTED_ANEW, `${Date.now()}`);
      location.reload();
    }
  }
}

async function isReachable(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { credentials: "omit" })).ok;
  } catch {
    return false;
  }
}
