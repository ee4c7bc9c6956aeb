// The light or dark theme: the person's choice, else the system's.
import { MantineProvider } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { useStored } from "../ui/stored.ts";
import { theme } from "./theme.ts";

export type Scheme = "auto" | "light" | "dark";
export const SCHEMES: readonly Scheme[] = ["auto", "light", "dark"];

interface Chosen {
  scheme: Scheme;
  setScheme: (scheme: Scheme) => void;
}

const Context = createContext<Chosen>({ scheme: "auto", setScheme: () => undefined });
export const useScheme = () => useContext(Context);

/** Mantine without its injected styles, because the page's policy forbids styles from scripts. */
export function SchemeProvider({ children }: { children: ReactNode }) {
  const [scheme, setScheme] = useStored<Scheme>("merpati.scheme", "auto", SCHEMES);
  const dark = useMediaQuery("(prefers-color-scheme: dark)", undefined, {
    getInitialValueInEffect: false,
  });
  const shown = scheme === "auto" ? (dark ? "dark" : "light") : scheme;
  const chosen = useMemo(() => ({ scheme, setScheme }), [scheme, setScheme]);
  return (
    <Context value={chosen}>
      <MantineProvider
        theme={theme}
        forceColorScheme={shown}
        withCssVariables={false}
        withStaticClasses={false}
        withGlobalClasses={false}
      >
        {children}
      </MantineProvider>
    </Context>
  );
}
