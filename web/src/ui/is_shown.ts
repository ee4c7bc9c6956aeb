// What follows an answer only where somebody still waits for it.
import { useCallback, useEffect, useRef } from "react";

/** Says, when an answer comes, whether the component that asked is still on the page. */
export function useIsShown(): () => boolean {
  const shown = useRef(false);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  return useCallback(() => shown.current, []);
}
