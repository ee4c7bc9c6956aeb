// The signed-in person, and the account that the pages show.
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { sessionEnded } from "../api/client.ts";
import { listAccounts } from "../api/operations.ts";
import { readSession } from "../api/people.ts";
import type { Scope, SessionView } from "../api/types.ts";
import { everyItem } from "../ui/paged.ts";
import { useStored } from "../ui/stored.ts";

export interface Membership {
  id: string;
  name: string;
}

interface Current {
  session: SessionView;
  accounts: Membership[];
  accountsError: unknown; // Why `accounts` is not known; null: it is.
  account: Membership | undefined;
  setAccount: (id: string) => void;
  can: (scope: Scope) => boolean;
  admin: boolean;
}

const AGAIN_MS = 5000; // Until a failed list of accounts is requested again.

const Context = createContext<Current | undefined>(undefined);

export const SESSION = ["session"];

/** Continues as the session's person, or as nobody, and drops the previous person's data. */
export function becomeSomebody(queries: QueryClient, session: SessionView | null): void {
  // Answers in flight would belong to the previous person.
  void queries.cancelQueries();
  // Not `clear`: observers of the session would keep a removed query.
  queries.setQueryData(SESSION, session);
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
}

/** The session, null without one, undefined until it is known. */
export function useWhoIsThere() {
  const queries = useQueryClient();
  useEffect(() => {
    // Asks first, because the refused request may belong to the previous person.
    const forget = () => {
      queries.fetchQuery({ queryKey: SESSION, queryFn: readSession, staleTime: 0 }).then(
        (session) => {
          if (!session) becomeSomebody(queries, null);
        },
        () => undefined, // The session stays unknown; the next refusal asks again.
      );
    };
    sessionEnded.addEventListener("ended", forget);
    return () => sessionEnded.removeEventListener("ended", forget);
  }, [queries]);
  return useQuery({ queryKey: SESSION, queryFn: readSession, staleTime: 60_000, retry: 1 });
}

export function SessionProvider({
  session,
  children,
}: {
  session: SessionView;
  children: ReactNode;
}) {
  const { admin } = session.person;
  const [chosen, setAccount] = useStored<string>("merpati.account", "");
  const all = useQuery({
    queryKey: ["admin", "accounts", "all"],
    queryFn: () => everyItem((cursor) => listAccounts({ cursor })),
    enabled: admin,
    refetchInterval: (query) => (query.state.status === "error" ? AGAIN_MS : false),
  });
  // Kept while the list is requested again.
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    if (all.error) setFailure(all.error);
  }, [all.error]);
  const accountsError = admin && !all.data ? (all.error ?? failure) : null;
  const current = useMemo(() => {
    const own = session.memberships.map(({ account, name }) => ({ id: account, name }));
    const accounts: Membership[] = admin ? (all.data ?? []) : own;
    const account = accounts.find((one) => one.id === chosen) ?? accounts[0];
    const membership = session.memberships.find((one) => one.account === account?.id);
    // Only for hiding actions that the gateway would refuse.
    const can = (scope: Scope) => admin || (membership?.scopes.includes(scope) ?? false);
    return { session, accounts, accountsError, account, setAccount, can, admin };
  }, [session, admin, all.data, accountsError, chosen, setAccount]);
  if (admin && !all.isFetched) return null;
  return <Context value={current}>{children}</Context>;
}

export function useSession(): Current {
  const current = useContext(Context);
  if (!current) throw new Error("no SessionProvider above");
  return current;
}

/** The id of the account that is shown; empty: there is none yet. */
export function useAccountId(): string {
  return useSession().account?.id ?? "";
}
