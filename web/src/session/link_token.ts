// The token of a sign-in link, /app/sign-in#TOKEN: no log sees what stands behind the '#'.
import { useCallback, useEffect, useState } from "react";

/** Takes the token out of the address: it is neither for the history nor for who looks on. */
function take(): string | undefined {
  const token = location.hash.slice(1);
  const isLink = location.pathname.endsWith("/sign-in");
  if (!token || !isLink) return undefined;
  history.replaceState(null, "", location.pathname);
  return token;
}

/** The token that the app was opened with, or that came into its address since, until its use. */
export function useLinkToken(): [string | undefined, () => void] {
  const [token, setToken] = useState(take);
  useEffect(() => {
    const look = () => setToken((present) => take() ?? present);
    addEventListener("hashchange", look);
    return () => removeEventListener("hashchange", look);
  }, []);
  const used = useCallback(() => setToken(undefined), []);
  return [token, used];
}
