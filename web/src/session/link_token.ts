// The token of a sign-in link, /app/sign-in#TOKEN. Browsers do not send the part after '#', so no
// log contains the token.
import { useCallback, useEffect, useState } from "react";

/** Removes the token from the address, so that neither the history nor the address bar shows it. */
function take(): string | undefined {
  const token = location.hash.slice(1);
  const isLink = location.pathname.endsWith("/sign-in");
  if (!token || !isLink) return undefined;
  history.replaceState(null, "", location.pathname);
  return token;
}

/** The token with which the app was opened, or which its address got later, until it is used. */
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
