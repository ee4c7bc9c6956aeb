// The signed-in person, and the account that the pages show.
import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import type { Scope, SessionView } from "../api/types.ts";
import { allAccounts } from "../queries/accounts.ts";
import { useStored } from "../ui/stored.ts";

export interface Membership {
  id: string;
  name: string;
}

interface Current {
  session: SessionView;
  accounts: Membership[]; // Of an administrator the first ones; see useAllAccounts.
  hasMore: boolean; // Whether an administrator has other accounts.
  accountsError: unknown; // Why `accounts` is not known; null: it is.
  account: Membership | undefined;
  setAccount: (id: string) => void;
  can: (scope: Scope) => boolean;
  admin: boolean;
}

const AGAIN_MS = 5000; // Until a failed list of accounts is requested again.

const Context = createContext<Current | undefined>(undefined);

interface SessionProps {
  session: SessionView;
  children: ReactNode;
}

export function SessionProvider({ session, children }: SessionProps) {
  const { admin } = session.person;
  const [chosen, setAccount] = useStored<string>("merpati.account", "");
  const first = useQuery({
    ...allAccounts.first(),
    enabled: admin,
    refetchInterval: (query) => (query.state.status === "error" ? AGAIN_MS : false),
    // Else a failure would disappear while the list is requested again.
    retry: false,
  });
  const isFar = admin && chosen !== "" && first.data?.items.every((one) => one.id !== chosen);
  // Asked more than once: without an answer, the pages show another account.
  const far = useQuery({ ...allAccounts.chosen(chosen), enabled: isFar === true });
  const accountsError = admin && !first.data ? first.error : null;
  const current = useMemo(() => {
    const own = session.memberships.map(({ account, name }) => ({ id: account, name }));
    const found = isFar && far.data ? [far.data] : [];
    const accounts: Membership[] = admin ? [...found, ...(first.data?.items ?? [])] : own;
    const account = accounts.find((one) => one.id === chosen) ?? accounts[0];
    const membership = session.memberships.find((one) => one.account === account?.id);
    // Only for hiding actions that the gateway would refuse.
    const can = (scope: Scope) => admin || (membership?.scopes.includes(scope) ?? false);
    const hasMore = first.data?.next != null;
    return { session, accounts, hasMore, accountsError, account, setAccount, can, admin };
  }, [session, admin, first.data, far.data, isFar, accountsError, chosen, setAccount]);
  if (admin && (!first.isFetched || far.isLoading)) return null;
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

/** The accounts that the person may open, up to ITEMS_MAX; until they are loaded, the first. */
export function useAllAccounts(enabled = true): Membership[] {
  const { accounts, hasMore } = useSession();
  const all = useQuery({
    ...allAccounts.every(),
    enabled: enabled && hasMore,
    staleTime: 60_000,
  });
  return (hasMore ? all.data?.items : undefined) ?? accounts;
}
