// A choice stored in this browser.
import { useLocalStorage } from "@mantine/hooks";

/** Like useState; uses the stored value if it is one of `allowed`. Tabs choose for themselves. */
export function useStored<Value extends string>(
  name: string,
  initial: Value,
  allowed?: readonly Value[],
): [Value, (value: Value) => void] {
  const [value, setValue] = useLocalStorage<Value | undefined>({
    key: name,
    // Not `defaultValue: initial`, which would be stored as if it had been chosen.
    getInitialValueInEffect: false,
    sync: false,
    serialize: (chosen) => chosen ?? "",
    deserialize: (text) =>
      !allowed || allowed.some((one) => one === text) ? (text as Value) : undefined,
  });
  return [value ?? initial, setValue];
}
