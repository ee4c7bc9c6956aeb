// Live updates: one stream of events for all tabs of this browser, and polling if the stream does
// not work.
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { Gathered } from "./gathered.ts";
import { Stream } from "./stream.ts";

const Context = createContext(false);

/** The polling interval of a list: long while events announce changes. */
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
    const gathered = new Gathered(queries, account);
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
