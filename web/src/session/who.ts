// Who is signed in, in all tabs of this browser, which share one session.
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Cancel, sessionEnded } from "../api/client.ts";
import { readSession } from "../api/people.ts";
import type { SessionView } from "../api/types.ts";
import { SESSION } from "../queries/people.ts";

const ENDED = [...SESSION, "ended"]; // True: it ended without the person's doing.

const AGAIN_MS = 5000; // Until the session is requested again from a gateway that did not answer.
const CHECKED_EVERY = 60_000;

// Tells the other tabs; it does not hear itself.
const channel =
  typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("merpati.session");

/** Continues as the session's person, or as nobody, and drops the previous person's data. */
export function becomeSomebody(queries: QueryClient, session: SessionView | null): void {
  void queries.cancelQueries({ queryKey: SESSION, exact: true });
  queries.setQueryData(ENDED, false);
  become(queries, session);
  channel?.postMessage("changed");
}

export function hasEnded(queries: QueryClient): boolean {
  return queries.getQueryData(ENDED) === true;
}

function become(queries: QueryClient, session: SessionView | null): void {
  dropData(queries);
  // Not `clear`: observers of the session would keep a removed query.
  queries.setQueryData(SESSION, session);
}

/** Of the previous person, with the answers in flight. */
function dropData(queries: QueryClient): void {
  const others = {
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => isData(queryKey),
  };
  void queries.cancelQueries(others);
  queries.removeQueries(others);
}

const isData = (queryKey: readonly unknown[]) => queryKey[0] !== SESSION[0];

/** Reads the session. If another tab has signed somebody else in, drops what this one shows. */
export async function whoIsThere(
  queries: QueryClient,
  cancel: Cancel,
): Promise<SessionView | null> {
  const known = queries.getQueryData<SessionView | null>(SESSION);
  const session = await readSession(cancel);
  if (known && known.person.id !== session?.person.id) {
    queries.setQueryData(ENDED, session === null);
    dropData(queries);
  }
  return session;
}

/** The session, null without one, undefined until it is known. */
export function useWhoIsThere() {
  const queries = useQueryClient();
  useEffect(() => {
    // Asks first, because the refused request may belong to the previous person.
    const ask = () =>
      void queries.refetchQueries({ queryKey: SESSION, exact: true }, { cancelRefetch: true });
    sessionEnded.addEventListener("ended", ask);
    channel?.addEventListener("message", ask);
    return () => {
      sessionEnded.removeEventListener("ended", ask);
      channel?.removeEventListener("message", ask);
    };
  }, [queries]);
  return useQuery({
    queryKey: SESSION,
    queryFn: (context) => whoIsThere(queries, context),
    staleTime: CHECKED_EVERY,
    retry: 1,
    refetchInterval: ({ state }) => (state.status === "error" ? AGAIN_MS : CHECKED_EVERY),
  });
}
