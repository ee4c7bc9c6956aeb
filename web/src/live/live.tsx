// Changes as they happen: one stream of events for all tabs of this browser, and polling where the
// stream does not come about.
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { type LiveEvent, Stream } from "./stream.ts";

const Context = createContext(false);

/** How often a list asks again: rarely while events tell it when. */
export function usePollInterval(seconds = 5): number {
  return useContext(Context) ? 60_000 : seconds * 1000;
}

export function useIsLive(): boolean {
  return useContext(Context);
}

export function LiveProvider({ account, children }: { account: string; children: ReactNode }) {
  const queries = useQueryClient();
  const [live, setLive] = useState(false);
  useEffect(() => {
    const gathered = new Gathered(queries);
    const stream = new Stream(account, { onState: setLive, onEvent: (e) => gathered.add(e) });
    stream.start();
    return () => {
      stream.stop();
      gathered.stop();
      setLive(false);
    };
  }, [account, queries]);
  return <Context value={live}>{children}</Context>;
}

/** What each kind of event makes old, by the first word of a query's key. */
export const MADE_OLD: Record<string, readonly string[]> = {
  "message.updated": ["messages", "message", "timeline", "usage"],
  "callback.attempt": ["callbacks", "callback", "attempts", "hosts", "timeline"],
  "device.state": ["devices", "device", "pairing"],
  "device.qr": ["pairing"],
  "account.credit": ["account", "ledger"],
};

const PAUSE = 500; // Under load, lists are fetched twice a second at most.

/** Events of a moment make old once what they name. */
class Gathered {
  private readonly queries: QueryClient;
  private names = new Set<string>();
  private all = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(queries: QueryClient) {
    this.queries = queries;
  }

  add(event: LiveEvent): void {
    const names = MADE_OLD[event.type];
    if (names) for (const name of names) this.names.add(name);
    else this.all = true; // "resync", and what a newer gateway tells.
    this.timer ??= setTimeout(() => this.flush(), PAUSE);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private flush(): void {
    const { names, all } = this;
    this.names = new Set();
    this.all = false;
    this.timer = undefined;
    void this.queries.invalidateQueries({
      predicate: ({ queryKey }) =>
        all ? queryKey[0] !== "session" : names.has(String(queryKey[0])),
    });
  }
}
