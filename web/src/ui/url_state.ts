// Filters in the address, so that links contain them and the back button restores them.
import { useCallback, useMemo } from "react";
import { useLocation, useSearch } from "wouter";

export type Filters<Name extends string> = Record<Name, string>;

/** The named parameters of the address, and functions to change them. */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const search = useSearch();
  const [path, go] = useLocation();
  const filters = useMemo(() => {
    const given = new URLSearchParams(search);
    return Object.fromEntries(names.map((name) => [name, given.get(name) ?? ""])) as Filters<Name>;
  }, [search, names]);
  const set = useCallback(
    (changed: Partial<Filters<Name>>) => {
      const next = new URLSearchParams(search);
      for (const [name, value] of Object.entries<string | undefined>(changed)) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      go(next.size > 0 ? `${path}?${next}` : path, { replace: true });
    },
    [search, path, go],
  );
  const clear = useCallback(() => go(path, { replace: true }), [path, go]);
  const any = names.some((name) => filters[name] !== "");
  return { filters, set, clear, any };
}

/** Returns a function that adds the current filters to a path. */
export function useWithFilters(): (path: string) => string {
  const search = useSearch();
  return (path) => (search ? `${path}?${search}` : path);
}
