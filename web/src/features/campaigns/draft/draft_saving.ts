// The stores of the drafts that are open in this tab, or were.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import type { Tagged } from "../../../api/client.ts";
import type { Campaign } from "../../../api/types.ts";
import { campaigns } from "../../../queries/campaigns.ts";
import { useSession } from "../../../session/session.tsx";
import { type DraftShown, DraftStore } from "./draft_store.ts";

const stores = new Map<string, DraftStore>();

/** The draft with what the person has changed, and its store. */
export function useDraft(read: Tagged<Campaign>): [DraftShown, DraftStore] {
  const queries = useQueryClient();
  const person = useSession().session.person.id;
  const name = `${person} ${read.id}`;
  const onStored = (stored: Tagged<Campaign>) => {
    const { queryKey } = campaigns.one(stored.id);
    // An answer that is on its way is older.
    void queries.cancelQueries({ queryKey });
    queries.setQueryData(queryKey, stored);
  };
  const store = stores.get(name) ?? new DraftStore(read, person, onStored);
  stores.set(name, store);
  useEffect(() => store.take(read), [store, read]);
  return [useSyncExternalStore(store.subscribe, store.now), store];
}
