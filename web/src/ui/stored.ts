// A choice stored in this browser.
import { useCallback, useState } from "react";

/** Like useState; uses the stored value if it is one of `allowed`. */
export function useStored<Value extends string>(
  name: string,
  initial: Value,
  allowed?: readonly Value[],
): [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => {
    const stored = read(name) as Value | null;
    return stored !== null && (!allowed || allowed.includes(stored)) ? stored : initial;
  });
  const set = useCallback(
    (next: Value) => {
      setValue(next);
      write(name, next);
    },
    [name],
  );
  return [value, set];
}

// A browser that stores nothing for this page throws.
function read(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function write(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The choice then lasts as long as the page.
  }
}
