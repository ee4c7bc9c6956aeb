// A choice that this browser remembers.
import { useCallback, useState } from "react";

/** Like useState; what is stored counts where it is one of `allowed`. */
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

// A browser that keeps nothing for this page throws.
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
    // It is forgotten with the page, then.
  }
}
